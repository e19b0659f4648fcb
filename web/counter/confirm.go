package counter

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// ask is what a form says of a sale.
func (s *Screens) ask(c *gin.Context, w frame.Want) counter.Ask {
	return counter.Ask{
		Seller: s.seller(c), Language: s.LocaleOf(c.Request).Language(), Number: w.Number, Country: w.Country,
		Not: w.Not, Provider: w.Provider, Search: c.Query("q"), SKU: w.Sku, Pay: w.Pay, Receive: w.Receive,
		Send: w.Send, Bill: w.Bill,
		Settings: w.Settings, Confirmed: w.Step == frame.StepConfirm, Practice: s.Practising(c),
		Amount: s.LocaleOf(c.Request).ParseAmount,
	}
}

// preview shows what a sale will be, or asks for what is missing.
func (s *Screens) preview(c *gin.Context, w frame.Want) error {
	key := s.FormKey(c.Query("key"))
	q, err := s.D.Counter.Preview(c.Request.Context(), s.ask(c, w), key)
	if err != nil {
		return err
	}
	w.Settings = q.Ask.Settings
	if !q.Ready() {
		return s.showDetails(c, w, q)
	}
	page := templates.ConfirmPage{Key: key}
	if !q.Up {
		l := s.LocaleOf(c.Request)
		page.Blocked = cmp.Or(frame.StopText(l, q.Stopped, s.D.Now()), l.Text("confirm.providerDown", q.Provider.Name))
	} else if err := s.sayRefusal(c, &page, q.Stop); err != nil {
		return err
	}
	return s.showConfirm(c, http.StatusOK, w, q, page)
}

// Resume is the address at which to continue after a session ended while a form was filled in: the confirm page of the
// same sale with its key, so that nothing is typed or sold twice. "": there is nothing to continue.
func (s *Screens) Resume(c *gin.Context) string {
	w := s.ReadWant(c)
	if w.Number == "" || w.Sku == "" {
		return ""
	}
	next := s.URLOf(w.Confirmed())
	if key := c.PostForm("key"); frame.IsKey(key) {
		next += "&key=" + key
	}
	return next
}

// showConfirm shows a sale on a page that has its key already, and what was typed or refused.
func (s *Screens) showConfirm(
	c *gin.Context, status int, w frame.Want, q *counter.Quote, page templates.ConfirmPage,
) error {
	pinned, err := s.D.Catalog.Favourites(c.Request.Context(), frame.Present(c).Shop.ID)
	if err != nil {
		return err
	}
	if page.Approvable {
		if page.Approve, err = s.ApproveForm(c); err != nil {
			return err
		}
	}
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		f.Path = "/counter" // also where the sale's form was sent to
		offer := q.Terms
		page.Frame, page.Trail, page.Here = f, s.trail(f, quoted(w, q)), s.URLOf(w.Confirmed())
		page.Product, page.SKU = q.Snapshot.Text(q.Product, f.Language()).DisplayText, offer.SKUCode
		page.Price, page.Total, page.About, page.Nearest = offer.Price, offer.Price, q.About, nearestText(f.Locale, q)
		page.Tax = frame.TaxText(f.Locale, offer.TaxName, offer.TaxRate)
		page.Validity, page.Redeem = frame.Validity(f.Locale, offer.Validity), redeemText(f.Locale, q.Product)
		page.Test, page.Unchecked, page.CustomerLanguage = q.Test, q.Unchecked, frame.CustomerLanguage(c)
		page.MayApprove = frame.Present(c).User.Can(staff.Override)
		page.MayPin = frame.Present(c).User.Can(staff.PinProducts)
		page.Favourite = slices.Contains(pinned, offer.SKUCode)
		settled := w // the form sells what the page shows, even if a rate or rule changes before it is sent
		if q.Range() {
			settled.Send = offer.Cost.Send.Decimal(0)
		}
		page.Hidden = append(s.FieldsOf(settled), templates.HiddenField{Name: "shown", Value: offer.Price.String()})
		if q.Ask.Practice {
			page.Hidden = append(page.Hidden, templates.HiddenField{Name: "practice", Value: "1"})
		}
		addReceived(&page, q)
		if !q.OldRate.IsZero() {
			page.OldRate = f.Text("confirm.oldRate", f.Date(q.OldRate))
		}
		if !offer.Cost.CustomerFee.IsZero() {
			page.Fee = &offer.Cost.CustomerFee
		}
		if given, err := f.ParseAmount(page.Cash, offer.Price.Currency()); err == nil {
			if back, err := given.Sub(offer.Price); err == nil && back.Sign() > 0 {
				page.Change = &back
			}
		}
		page.Settings, page.ToRead = settingLines(q)
		if q.Bill != nil {
			page.Settings = append(page.Settings, billLines(*q.Bill)...)
		}
		return templates.Confirm(page)
	})
}

// addReceived says what arrives, and has the form say it, too, where it is exact.
func addReceived(page *templates.ConfirmPage, q *counter.Quote) {
	offer := q.Terms
	if offer.Receive.IsZero() || !q.Product.Addressed() {
		return
	}
	page.Receive = &offer.Receive
	if !q.About {
		page.Hidden = append(page.Hidden, templates.HiddenField{Name: "receives", Value: offer.Receive.String()})
	}
	if offer.ReceiveExTax != offer.Receive && !offer.ReceiveExTax.IsZero() {
		page.ReceiveNet = &offer.ReceiveExTax
	}
}

func redeemText(l locale.Locale, p *catalog.Product) string {
	switch p.Redemption {
	case "ReadReceipt":
		return l.Text("confirm.redeemReceipt")
	case "ReadAdditionalInformation":
		return p.AdditionalInformation // in one language, as the provider wrote it
	}
	return ""
}
