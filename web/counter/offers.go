package counter

import (
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// beforeShown is how many earlier products of a number are offered first.
const beforeShown = 3

// showOffers is GET /counter once the operator is known.
func (s *Screens) showOffers(c *gin.Context, t target) error {
	ctx, shop := c.Request.Context(), frame.Present(c).Shop
	popular, err := s.D.Report.Popular(ctx, shop.ID)
	if err != nil {
		return err
	}
	pinned, err := s.D.Catalog.Favourites(ctx, shop.ID)
	if err != nil {
		return err
	}
	hidden, err := s.hiddenHere(c)
	if err != nil {
		return err
	}
	page := templates.OffersPage{
		Hidden: t.want.ToProducts().Fields(), Query: c.Query("q"), OperatorURL: t.want.OperatorURL(),
	}
	if err := s.addCustomer(c, &page, t, hidden); err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page.Frame, page.Trail = f, trail(f, t)
		if !t.snapshot.ProviderStatus(t.provider.Code).Processing {
			page.Trouble = f.Text("offers.providerDown", t.provider.Name)
		}
		groups := t.snapshot.Offers(catalog.OfferQuery{
			Provider: t.provider.Code, Language: f.Language(), Search: page.Query, At: s.D.Now(),
			Sold: func(sku string) int { return int(popular.Products[sku]) },
		})
		addGroups(&page, t, favouritesFirst(without(groups, hidden), pinned))
		page.Promotions = promotions(page.Groups)
		return templates.Offers(page)
	})
}

// addCustomer adds who the number is and what it bought here before. A search
// looks for something else.
func (s *Screens) addCustomer(c *gin.Context, page *templates.OffersPage, t target, hidden map[string]bool) error {
	ctx, shop := c.Request.Context(), frame.Present(c).Shop.ID
	known, err := s.D.Customers.Of(ctx, shop, t.number.Digits)
	if err != nil {
		return err
	}
	page.Customer, page.BookURL = known.Name, bookURL(t.number.Digits, known.Name)
	if page.Query != "" || t.number.Digits == apiclient.DefaultPINAccountNumber {
		return nil
	}
	bought, err := s.D.Sales.Bought(ctx, shop, t.number.Digits, beforeShown)
	for _, sale := range bought {
		if sale.ProviderCode == t.provider.Code && repeatable(t.snapshot, sale, hidden) {
			page.Before = append(page.Before, templates.RecentSale{
				RepeatURL: frame.Repeat(sale).URL(), Product: sale.ProductText, Price: sale.Price(),
				At: sale.RecordedAt,
			})
		}
	}
	return err
}

// repeatable says whether a sale can be made once more by its confirm page alone.
func repeatable(snapshot *catalog.Snapshot, sale sales.Sale, hidden map[string]bool) bool {
	p, sold := snapshot.Product(sale.SKUCode)
	return sold && p.Provider == sale.ProviderCode && !p.LookupBillsRequired && !hidden[p.SKU]
}

// hiddenHere are the SKUs that the user's shop does not sell.
func (s *Screens) hiddenHere(c *gin.Context) (map[string]bool, error) {
	hidden, err := s.D.Catalog.HiddenIn(c.Request.Context(), frame.Present(c).Shop.ID)
	skus := map[string]bool{}
	for _, h := range hidden {
		skus[h.SKU] = true
	}
	return skus, err
}

func without(groups []catalog.Group, hidden map[string]bool) []catalog.Group {
	for i := range groups {
		groups[i].Offers = slices.DeleteFunc(groups[i].Offers, func(o catalog.Offer) bool {
			return hidden[o.Product.SKU]
		})
	}
	return groups
}

// favouritesFirst takes the shop's favourites out of their groups into one of
// their own before them, in the shop's order.
func favouritesFirst(groups []catalog.Group, pinned []string) []catalog.Group {
	first := catalog.Group{Kind: frame.Favourites}
	for i := range groups {
		groups[i].Offers = slices.DeleteFunc(groups[i].Offers, func(o catalog.Offer) bool {
			is := slices.Contains(pinned, o.Product.SKU)
			if is {
				first.Offers = append(first.Offers, o)
			}
			return is
		})
	}
	slices.SortStableFunc(first.Offers, func(a, b catalog.Offer) int {
		return slices.Index(pinned, a.Product.SKU) - slices.Index(pinned, b.Product.SKU)
	})
	return append([]catalog.Group{first}, groups...)
}

func addGroups(page *templates.OffersPage, t target, groups []catalog.Group) {
	for _, group := range groups {
		shown := templates.OfferGroup{Kind: frame.KindNames[group.Kind]}
		for _, o := range group.Offers {
			card, err := offerCard(page.Locale, t, o)
			if err != nil {
				page.Problem = page.Fault(err)
				continue
			}
			shown.Offers = append(shown.Offers, card)
		}
		if len(shown.Offers) > 0 {
			page.Groups = append(page.Groups, shown)
		}
	}
}

// promotions takes the headlines out of the offers, each once. One that every
// offer takes part in need not stand on every card.
func promotions(groups []templates.OfferGroup) []string {
	var headlines []string
	offers, taking := 0, map[string]int{}
	for _, group := range groups {
		for _, o := range group.Offers {
			offers++
			if o.Promotion == "" {
				continue
			}
			if taking[o.Promotion] == 0 {
				headlines = append(headlines, o.Promotion)
			}
			taking[o.Promotion]++
		}
	}
	for _, group := range groups {
		for i := range group.Offers {
			if taking[group.Offers[i].Promotion] == offers {
				group.Offers[i].Promotion = ""
			}
		}
	}
	return headlines
}

func offerCard(l locale.Locale, t target, o catalog.Offer) (templates.Offer, error) {
	card := templates.Offer{
		SKU: o.Product.SKU, Name: o.Text.DisplayText, Validity: frame.Validity(l, o.Product.Validity), Trouble: !o.Up,
	}
	var err error
	if o.Product.Fixed() {
		card.Receive = arrives(o.Product)
		card.Price, err = t.retail(o.Product, o.Product.Minimum)
	} else {
		card.UpTo = new(money.Amount)
		card.Price, *card.UpTo, err = t.tariff.PayRange(o.Product, t.provider.Country)
	}
	if err != nil {
		return card, err
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
