package web

import (
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/sales"
)

// practising says whether this session sells to nobody: the same screens, and
// transfers to a product's test number, which the upstream carries out nowhere.
func (s *Server) practising(c *gin.Context) bool {
	return s.d.Practice && s.sessions.GetString(c.Request.Context(), sessionPractice) != ""
}

// testNumber is where a practice sale of a product goes: its own test number,
// with the last digit that picks the outcome. A typed number that ends in 11 to
// 19 practises the refusal of that digit, any other practises success.
func testNumber(t target) (string, error) {
	test := t.product.TestNumber()
	if len(test) < 2 {
		return "", fault.New(fault.Conflict, "practice.not-possible")
	}
	outcome := "0"
	if typed := t.number.Digits; len(typed) > 1 && typed[len(typed)-2] == '1' {
		outcome = typed[len(typed)-1:]
	}
	return test[:len(test)-1] + outcome, nil
}

// orderNumber is the number that a sale goes to.
func (s *Server) orderNumber(c *gin.Context, t target) (string, error) {
	if s.practising(c) {
		return testNumber(t)
	}
	return accountNumber(t), t.snapshot.CheckNumber(t.product, t.number)
}

// isTest says whether a sale is to a test number without being practice: whoever makes it
// must know that nothing is sent.
func (s *Server) isTest(c *gin.Context, number string, offer sales.Offer) bool {
	return offer.IsTest(number) && !s.practising(c)
}

// practice is POST /practice (field on): practice begins, or ends.
func (s *Server) practice(c *gin.Context) error {
	if !s.d.Practice {
		return fault.New(fault.NotFound, "")
	}
	s.sessions.Put(c.Request.Context(), sessionPractice, c.PostForm("on"))
	return redirect(c, "/counter")
}
