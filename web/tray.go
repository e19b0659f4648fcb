package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/templates"
)

// tray is what must not be lost sight of at this till: sales that wait, and for
// who may approve, colleagues who ask.
func (s *Server) tray(c *gin.Context) (templates.Tray, error) {
	p, l := present(c), s.localeOf(c.Request)
	t := templates.Tray{Locale: l}
	if p.Till.ID == "" {
		return t, nil
	}
	waiting, err := s.d.Sales.Tray(c.Request.Context(), p.Till.ID, s.practising(c))
	if err != nil {
		return t, err
	}
	now := s.d.Now()
	for _, sale := range waiting {
		t.Sales = append(t.Sales, templates.TraySale{
			ID: sale.ID, URL: "/sales/" + sale.ID, Account: masked(sale.AccountNumber), Product: sale.ProductText, Price: sale.Price(),
			State: string(sale.Fulfilment), Owed: sale.Cash == sales.CashRefundDue, Since: sale.AttemptAt, Elapsed: int(now.Sub(sale.AttemptAt).Seconds()),
		})
	}
	if !p.User.Can(staff.Override) {
		return t, nil
	}
	pending, err := s.d.Approvals.Pending(c.Request.Context(), p.Shop.ID, p.User.ID)
	t.Asked = len(pending)
	return t, err
}

// trayEvents is GET /tray/events: the tray anew whenever it changes.
func (s *Server) trayEvents(c *gin.Context) error {
	p := present(c)
	moved, noMoves := s.d.Bus.Subscribe(sales.TillTopic(p.Till.ID))
	defer noMoves()
	asked, noQuestions := s.d.Bus.Subscribe(approval.Topic(p.Shop.ID))
	defer noQuestions()
	return s.stream(c, []<-chan struct{}{moved, asked}, func(context.Context) (templ.Component, bool, error) {
		t, err := s.tray(c)
		return templates.TrayRegion(t), false, err
	})
}

// streamLookEvery: a hint may be lost, so the rows are looked at all the same.
const streamLookEvery = 5 * time.Second

// stream answers with a component, and with it anew whenever it has changed,
// until it is over or the browser should ask again. A page that begins with
// what it shows needs no first event; one that lies open for long does no harm.
func (s *Server) stream(c *gin.Context, hints []<-chan struct{}, draw func(context.Context) (part templ.Component, over bool, err error)) error {
	c.Header("Content-Type", "text/event-stream")
	c.Status(http.StatusOK)
	ctx, cancel := context.WithTimeout(c.Request.Context(), saleWatchFor)
	defer cancel()
	any := merged(ctx, hints)
	tick := time.NewTicker(streamLookEvery)
	defer tick.Stop()
	for sent := ""; ; {
		part, over, err := draw(ctx)
		if err != nil {
			return err
		}
		var html bytes.Buffer
		if err := part.Render(ctx, &html); err != nil {
			return err
		}
		if html.String() != sent {
			sent = html.String()
			if err := writeEvent(c, sent); err != nil {
				return err
			}
		}
		if over {
			_, err := c.Writer.WriteString("event: done\ndata: done\n\n")
			c.Writer.Flush()
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-any:
		case <-tick.C:
		}
	}
}

// merged is a hint from any of several channels.
func merged(ctx context.Context, hints []<-chan struct{}) <-chan struct{} {
	any := make(chan struct{}, 1)
	for _, h := range hints {
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-h:
				}
				select {
				case any <- struct{}{}:
				default:
				}
			}
		}()
	}
	return any
}

// writeEvent sends an unnamed event.
func writeEvent(c *gin.Context, data string) error {
	for line := range strings.Lines(data) {
		if _, err := fmt.Fprintf(c.Writer, "data: %s\n", strings.TrimRight(line, "\r\n")); err != nil {
			return err
		}
	}
	_, err := c.Writer.WriteString("\n")
	c.Writer.Flush()
	return err
}
