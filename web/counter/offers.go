package counter

import (
	"cmp"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/counter"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/pieces"
	"airtill/web/templates"
)

// beforeShown is how many earlier products of a number are offered first.
const beforeShown = 3

// showOffers is GET /counter once the operator is known.
func (s *Screens) showOffers(c *gin.Context, w frame.Want) error {
	shelf, err := s.D.Counter.Shelf(c.Request.Context(), s.ask(c, w))
	if err != nil {
		return err
	}
	page := templates.OffersPage{
		Hidden: s.FieldsOf(w.ToProducts()), Query: c.Query("q"), OperatorURL: s.URLOf(w.Operators()),
	}
	if err := s.addCustomer(c, &page, shelf); err != nil {
		return err
	}
	l := s.LocaleOf(c.Request)
	as := drawnAs{l.Language(), l.Zone(), shelf.Up, len(page.Before)}
	known, err := shelf.Once(as, func() (any, error) {
		return templates.DrawGroups(c.Request.Context(), l, groups(l, shelf), as.before)
	})
	if err != nil {
		return err
	}
	page.Drawn = known.(*pieces.Piece) //nolint:forcetypeassert // as it was just drawn
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page.Frame = f
		page.Trail = s.trail(f, target{
			snapshot: shelf.Snapshot, number: shelf.Number, provider: shelf.Provider, want: w,
		})
		if !shelf.Up {
			page.Trouble = cmp.Or(
				frame.StopText(l, shelf.Stopped, s.D.Now()), f.Text("offers.providerDown", shelf.Provider.Name),
			)
		}
		for _, promotion := range shelf.Promotions {
			page.Promotions = append(page.Promotions, promotionText(l, promotion))
		}
		if shelf.Problem != nil {
			page.Problem = f.Fault(shelf.Problem)
		}
		return templates.Offers(page)
	})
}

// drawnAs is all that the drawing of a shelf depends on, beside what is on it.
type drawnAs struct {
	language string
	zone     *time.Location
	up       bool
	before   int // earlier products, which have the first keys
}

// groups are what is on a shelf as its cards show it.
func groups(l locale.Locale, shelf *counter.Shelf) (all []templates.OfferGroup) {
	for _, group := range shelf.Groups {
		shown := templates.OfferGroup{Kind: group.Kind}
		for _, p := range group.Products {
			shown.Offers = append(shown.Offers, templates.Offer{
				SKU: p.SKU, Name: p.Name, Receive: p.Receive, ReceiveUpTo: p.ReceiveUpTo,
				Validity: frame.Validity(l, p.Validity),
				Price:    p.Price, UpTo: p.UpTo, Trouble: !shelf.Up,
				Promotion: p.Promotion.Headline, PromotionEnds: promotionEnd(l, p.Promotion),
			})
		}
		all = append(all, shown)
	}
	return all
}

// promotionText says what a promotion promises and on which day it ends; "": no promotion.
func promotionText(l locale.Locale, p counter.Promotion) string {
	if p.Until.IsZero() {
		return p.Headline
	}
	return l.Text("offers.until", p.Headline, l.Date(p.Until.Add(-time.Second)))
}

// promotionEnd says on a card until when its product is in a promotion.
func promotionEnd(l locale.Locale, p counter.Promotion) string {
	if p.Until.IsZero() {
		return l.Text("offers.promotion")
	}
	return l.Text("offers.promotionUntil", l.DayOfYear(p.Until.Add(-time.Second)))
}

// addCustomer adds whose number it is and what it bought here before, but not to a search, which is for something else.
func (s *Screens) addCustomer(c *gin.Context, page *templates.OffersPage, shelf *counter.Shelf) error {
	ctx, shop, digits := c.Request.Context(), frame.Present(c).Shop.ID, shelf.Number.Digits
	known, err := s.D.Customers.Of(ctx, shop, digits)
	if err != nil {
		return err
	}
	page.Customer, page.BookURL = known.Name, s.bookURL(digits, known.Name)
	if page.Query != "" || digits == apiclient.DefaultPINAccountNumber {
		return nil
	}
	bought, err := s.D.Sales.Bought(ctx, shop, digits, beforeShown)
	if err != nil {
		return err
	}
	for _, sale := range bought {
		repeatable, err := s.D.Counter.Repeatable(ctx, shop, sale.ProviderCode, sale.SKUCode)
		if err != nil {
			return err
		}
		if repeatable && sale.ProviderCode == shelf.Provider.Code {
			page.Before = append(page.Before, templates.RecentSale{
				RepeatURL: s.URLOf(frame.Repeat(sale)), Product: sale.ProductText, Price: sale.Price(),
				At: sale.RecordedAt,
			})
		}
	}
	return nil
}

// showVouchers is GET /counter for products without a number.
func (s *Screens) showVouchers(c *gin.Context, w frame.Want) error {
	vouchers, err := s.D.Counter.Vouchers(c.Request.Context(), s.ask(c, w))
	if err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.VouchersPage{Frame: f}
		for _, of := range vouchers {
			page.Vouchers = append(page.Vouchers, s.voucherRows(f.Locale, of))
		}
		return templates.Vouchers(page)
	})
}

func (s *Screens) voucherRows(l locale.Locale, vouchers []counter.Product) (rows []templates.RecentSale) {
	for _, p := range vouchers {
		rows = append(rows, templates.RecentSale{
			RepeatURL: s.URLOf(frame.Want{
				Number: apiclient.DefaultPINAccountNumber, Provider: p.Provider.Code, Sku: p.SKU,
			}),
			Operator: operator(l, s.D.Catalog.Current(), p.Provider), Product: p.Name, Price: p.Price,
		})
	}
	return rows
}
