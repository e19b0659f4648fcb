package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/web/locale"
	"airtill/web/templates"
)

// showOffers is GET /counter once the operator is known.
func (s *Server) showOffers(c *gin.Context, t target) error {
	sold, err := s.d.Sales.Popularity(c.Request.Context(), present(c).Shop.ID, t.provider.Code)
	if err != nil {
		return err
	}
	search, currency := c.Query("q"), present(c).Shop.Currency
	return s.show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.OffersPage{Frame: f, Trail: trail(f, t), Hidden: t.want.toProducts().fields(), Query: search, OperatorURL: t.want.operatorURL()}
		status := t.snapshot.ProviderStatus(t.provider.Code)
		if !status.Processing {
			page.Trouble = f.Text("offers.providerDown", t.provider.Name)
		}
		groups := t.snapshot.Offers(catalog.OfferQuery{
			Provider: t.provider.Code, Language: f.Language(), Search: search, At: s.d.Now(),
			Sold: func(sku string) int { return sold[sku] },
		})
		for _, group := range groups {
			shown := templates.OfferGroup{Kind: kindNames[group.Kind]}
			for _, o := range group.Offers {
				card, err := offerCard(f.Locale, t, o, currency)
				if err != nil {
					page.Problem = fault.Message(err)
					continue
				}
				shown.Offers = append(shown.Offers, card)
			}
			if len(shown.Offers) > 0 {
				page.Groups = append(page.Groups, shown)
			}
		}
		return templates.Offers(page)
	})
}

func (w want) operatorURL() string { return want{number: w.number, country: anyCountry}.url() }

// kindNames maps the catalogue's kinds to those that pages know.
var kindNames = map[catalog.Kind]templates.Kind{
	catalog.KindTopUp: templates.KindTopUp, catalog.KindData: templates.KindData, catalog.KindBundle: templates.KindBundle,
	catalog.KindMinutes: templates.KindTopUp, catalog.KindPIN: templates.KindPIN, catalog.KindVoucher: templates.KindVoucher,
	catalog.KindLongDistance: templates.KindLongDist, catalog.KindElectricity: templates.KindElectricity,
	catalog.KindTV: templates.KindTV, catalog.KindBill: templates.KindBill, catalog.KindOther: templates.KindOther,
}

func offerCard(l locale.Locale, t target, o catalog.Offer, currency money.Currency) (templates.Offer, error) {
	card := templates.Offer{SKU: o.Product.SKU, Name: o.Text.DisplayText, Validity: validity(l, o.Product.Validity), Trouble: !o.Up}
	var err error
	if card.Price, err = pricing.Retail(o.Product.Minimum, currency); err != nil {
		return card, err
	}
	if o.Product.Fixed() {
		card.Receive = arrives(o.Product)
	} else {
		most, err := pricing.Retail(o.Product.Maximum, currency)
		if err != nil {
			return card, err
		}
		card.UpTo = &most
	}
	if len(o.Promotions) > 0 {
		if text, ok := t.snapshot.PromotionText(o.Promotions[0], l.Language()); ok {
			card.Promotion = text.Headline
		}
	}
	return card, nil
}

// arrives is what lands on the account, after tax; nil where that is no money.
func arrives(p *catalog.Product) *money.Amount {
	net := p.Minimum.ReceiveExcludingTax()
	if net.IsZero() {
		net = p.Minimum.Receive()
	}
	if net.IsZero() || !p.Addressed() {
		return nil
	}
	return &net
}

// validity writes an ISO 8601 duration for people; what cannot be read is left
// out.
func validity(l locale.Locale, iso string) string {
	if iso == "" {
		return ""
	}
	p, err := apiclient.ParseDuration(iso)
	if err != nil {
		return ""
	}
	switch days := p.Days; {
	case p.Years > 0 && p.Months == 0 && days == 0 && p.Time == 0:
		return l.Count("validity.years", p.Years)
	case p.Months > 0 && p.Years == 0 && days == 0 && p.Time == 0:
		return l.Count("validity.months", p.Months)
	case days > 0 && p.Years == 0 && p.Months == 0 && p.Time == 0:
		return l.Count("validity.days", days)
	case p.Time > 0 && p.Years == 0 && p.Months == 0 && days == 0:
		return l.Count("validity.hours", int(p.Time.Hours()))
	}
	return iso
}
