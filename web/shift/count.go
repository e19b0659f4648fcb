package shift

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// pileName is the form field of a denomination.
func pileName(denomination money.Amount) string {
	return "pieces-" + strconv.FormatInt(denomination.Micros(), 10)
}

// pileForm lists the fields of a count in a currency, with what was typed.
func pileForm(c *gin.Context, l locale.Locale, currency money.Currency) (templates.Piles, error) {
	cash, err := till.CashOf(currency)
	fields := func(denominations []money.Amount) []templates.PileField {
		var all []templates.PileField
		for _, d := range denominations {
			all = append(all, templates.PileField{
				Name: pileName(d), Label: l.ShortAmount(d), Micros: d.Micros(), Value: c.PostForm(pileName(d)),
			})
		}
		return all
	}
	return templates.Piles{Currency: currency, Notes: fields(cash.Notes), Coins: fields(cash.Coins)}, err
}

// readPiles reads the typed numbers of notes and coins; an empty field is none.
func readPiles(c *gin.Context, l locale.Locale, currency money.Currency) (till.Count, error) {
	count := till.Counted(money.Of(0, currency))
	cash, err := till.CashOf(currency)
	if err != nil {
		return count, err
	}
	for _, d := range append(cash.Notes, cash.Coins...) {
		typed := strings.TrimSpace(c.PostForm(pileName(d)))
		if typed == "" {
			continue
		}
		pieces, ok := l.ParseCount(typed)
		if !ok {
			return count, fault.Worded(pileName(d), l.Text("count.pieces"))
		}
		count.Piles = append(count.Piles, till.Pile{Micros: d.Micros(), Pieces: pieces})
	}
	return count, nil
}

// shiftToClose is the shift named (field or query shift) if the user may close it, otherwise the one at the
// user's till. Those in charge may close any; others only the one that their browser works in.
func (s *Screens) shiftToClose(c *gin.Context, named string) (*till.Shift, error) {
	p := frame.Present(c)
	if named == "" {
		return s.OpenShift(c)
	}
	shift, err := s.D.Till.Get(c.Request.Context(), named, p.Shop.ID)
	if err != nil {
		return nil, err
	}
	if p.User.Can(staff.ManageShifts) {
		return &shift, nil
	}
	if shift.TillID != p.Till.ID {
		return nil, fault.New(fault.Forbidden, "count.other-till")
	}
	if !shift.Closed() { // otherwise it may be the answer to a form that was lost
		_, err = s.OpenShift(c)
	}
	return &shift, err
}

// CountForm is GET /shift/close: the drawer is counted without knowing what it should hold. What is to stay in it
// (left) is kept from the first count.
func (s *Screens) CountForm(c *gin.Context) error {
	shift, err := s.shiftToClose(c, c.Query("shift"))
	if err != nil {
		return err
	}
	if shift == nil {
		return frame.Redirect(c, "/shift")
	}
	if shift.Closed() {
		return frame.Redirect(c, "/shift/"+shift.ID)
	}
	return s.askForCount(c, http.StatusOK, *shift, "")
}

func (s *Screens) askForCount(c *gin.Context, status int, shift till.Shift, problem string) error {
	piles, err := pileForm(c, s.LocaleOf(c.Request), shift.Currency)
	if err != nil {
		return err
	}
	r := frame.ReadsOf(c)
	again, names := frame.LoadOf(r, s.D.Till.Recount, shift), frame.LoadHere(r, s.Names)
	if r.Err != nil {
		return r.Err
	}
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		page := templates.CountPage{
			Frame: f, Key: s.NewKey(), ShiftID: shift.ID, Again: again, Piles: piles,
			Loose: c.PostForm("loose"), Left: cmp.Or(c.PostForm("left"), c.Query("left")),
			Problem: problem,
		}
		if shift.TillID != frame.Present(c).Till.ID {
			page.Whose = names.Tills[shift.TillID]
		}
		return templates.CountDrawer(page)
	})
}

// CloseShift is POST /shift/close (fields key, shift, the piles, loose, left).
func (s *Screens) CloseShift(c *gin.Context) error {
	p := frame.Present(c)
	shift, err := s.shiftToClose(c, c.PostForm("shift"))
	if err != nil {
		return err
	}
	if shift == nil {
		return frame.Redirect(c, "/shift")
	}
	ending := till.Ending{Key: c.PostForm("key"), Actor: p.Actor(), ShopID: p.Shop.ID, ShiftID: shift.ID}
	err = s.readEnding(c, *shift, &ending)
	recount := false
	if err == nil { // a refused count is shown again with the shift as it was
		_, recount, err = s.D.Till.Close(c.Request.Context(), ending)
	}
	switch {
	case fault.KindOf(err) == fault.Invalid:
		return s.askForCount(c, http.StatusUnprocessableEntity, *shift, s.LocaleOf(c.Request).Fault(err))
	case err != nil:
		return err
	case recount:
		kept := url.Values{"shift": {shift.ID}}
		if ending.Left != nil {
			kept.Set("left", c.PostForm("left"))
		}
		return frame.Redirect(c, "/shift/close?"+kept.Encode())
	}
	if seat := s.Sessions.GetString(c.Request.Context(), frame.SessionSeat); strings.HasPrefix(seat, shift.ID+"/") {
		s.TieSeat(c.Request.Context(), nil)
	}
	return frame.Redirect(c, "/shift/"+shift.ID)
}

// readEnding reads the count and what stays in the drawer.
func (s *Screens) readEnding(c *gin.Context, shift till.Shift, e *till.Ending) error {
	l := s.LocaleOf(c.Request)
	var err error
	if e.Count, err = readPiles(c, l, shift.Currency); err != nil {
		return err
	}
	if typed := strings.TrimSpace(c.PostForm("loose")); typed != "" {
		if e.Count.Loose, err = l.ParseCash(typed, shift.Currency); err != nil {
			return err
		}
	} else if len(e.Count.Piles) == 0 {
		return fault.Worded("count", l.Text("count.nothing"))
	}
	if typed := strings.TrimSpace(c.PostForm("left")); typed != "" {
		left, err := l.ParseCash(typed, shift.Currency)
		if err != nil {
			return err
		}
		e.Left = &left
	}
	return nil
}
