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
	"airtill/internal/sales"
	"airtill/web/locale"
	"airtill/web/templates"
)

const recentShown = 6

// counter is GET /counter: each step of a sale is the same address with one
// thing more settled.
func (s *Server) counter(c *gin.Context) error {
	shift, err := s.openShift(c)
	if err != nil {
		return err
	}
	if shift == nil {
		return s.askForShift(c, http.StatusOK, "")
	}
	snapshot := s.d.Catalog.Current()
	if snapshot.Empty() {
		return s.show(c, http.StatusOK, func(f templates.Frame) templ.Component { return templates.NothingToSell(f) })
	}
	w := readWant(c)
	if w.number == "" && !c.Request.URL.Query().Has("number") {
		return s.askForNumber(c, http.StatusOK, "", "")
	}
	if found, err := s.findCustomer(c, w.number); err != nil || found {
		return err
	}
	if w.number == anyVoucher {
		return s.showVouchers(c, snapshot)
	}
	number, err := catalog.ParseNumber(w.number, present(c).Shop.Country)
	if err != nil {
		return s.askForNumber(c, http.StatusUnprocessableEntity, w.number, s.localeOf(c.Request).Fault(err))
	}
	return s.settle(c, snapshot, number, w)
}

// settle goes on with the first thing that is not settled yet.
func (s *Server) settle(c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w want) error {
	if w.provider == "" {
		found, err := s.findOperator(c, snapshot, number, w)
		if err != nil || found == "" {
			return err
		}
		w.provider = found
	}
	provider, ok := snapshot.Provider(w.provider)
	if !ok {
		return fault.New(fault.NotFound, "This operator is no longer offered. Look the number up again.")
	}
	tariff, err := s.tariff(c)
	if err != nil {
		return err
	}
	hidden, err := s.hiddenHere(c)
	if err != nil {
		return err
	}
	t := target{snapshot: snapshot, number: number, provider: provider, want: w, tariff: tariff}
	if w.sku == "" {
		return s.showOffers(c, t)
	}
	if t.product, ok = snapshot.Product(w.sku); !ok || t.product.Provider != provider.Code || t.product.Unsellable != "" || hidden[w.sku] {
		return fault.New(fault.NotFound, "This product is no longer sold. Choose another.")
	}
	if err := s.recallSettings(c, &t); err != nil {
		return err
	}
	return s.confirmOrAsk(c, t)
}

// target is what a sale is about, as far as it is settled.
type target struct {
	snapshot *catalog.Snapshot
	number   catalog.Number
	provider *catalog.Provider
	product  *catalog.Product
	want     want
	tariff   *pricing.Tariff // what this shop charges now
}

// retail is what a price of the target's product comes to at the counter.
func (t target) retail(p *catalog.Product, price catalog.Price) (money.Amount, error) {
	return t.tariff.Retail(p, t.provider.Country, price)
}

// tariff is what the user's shop charges now.
func (s *Server) tariff(c *gin.Context) (*pricing.Tariff, error) {
	shop := present(c).Shop
	return s.d.Pricing.Tariff(c.Request.Context(), shop.ID, shop.Currency, s.d.Now())
}

// findOperator decides the operator, or asks: it returns "" once it has
// answered the request.
func (s *Server) findOperator(c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w want) (string, error) {
	if w.country != "" {
		return "", s.chooseOperator(c, snapshot, number, w, snapshot.ProvidersIn(w.country), true)
	}
	result, err := s.d.Catalog.Lookup(c.Request.Context(), number)
	if err != nil {
		return "", err
	}
	switch result.Outcome {
	case catalog.FoundOperator:
		return result.Candidates[0].Provider.Code, nil
	case catalog.FoundChoice:
		var providers []*catalog.Provider
		for _, candidate := range result.Candidates {
			providers = append(providers, candidate.Provider)
		}
		return "", s.chooseOperator(c, snapshot, number, w, providers, false)
	case catalog.FoundCountry:
		w.country = result.Country
		return "", s.chooseOperator(c, snapshot, number, w, snapshot.ProvidersIn(result.Country), true)
	case catalog.FoundNothing:
	}
	return "", s.chooseCountry(c, snapshot, number, w)
}

func (s *Server) chooseOperator(c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w want, providers []*catalog.Provider, unmatched bool) error {
	if len(providers) == 0 {
		return s.chooseCountry(c, snapshot, number, want{number: w.number})
	}
	return s.show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.ChooseOperatorPage{Frame: f, Hidden: w.toOperator().fields(), Unmatched: unmatched, ByHand: unmatched && c.Query("country") != "", CountryURL: want{number: w.number, country: anyCountry}.url()}
		page.Trail = trail(f, target{snapshot: snapshot, number: number, want: w})
		for _, p := range providers {
			page.Candidates = append(page.Candidates, operator(snapshot, p))
		}
		return templates.ChooseOperator(page)
	})
}

// anyCountry asks for the choice of a country whatever the number says.
const anyCountry = "?"

const commonCountries = 9

func (s *Server) chooseCountry(c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w want) error {
	return s.show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.ChooseCountryPage{Frame: f, Hidden: w.toNumber().fields(), Trail: trail(f, target{snapshot: snapshot, number: number, want: w})}
		for i, country := range snapshot.SellingCountries() {
			entry := templates.Country{ISO: country.ISO, Name: country.Name}
			page.All = append(page.All, entry)
			if i < commonCountries {
				page.Common = append(page.Common, entry)
			}
		}
		return templates.ChooseCountry(page)
	})
}

func (s *Server) askForNumber(c *gin.Context, status int, typed, problem string) error {
	recent, err := s.d.Sales.List(c.Request.Context(), sales.Filter{ShopID: present(c).Shop.ID, TillID: present(c).Till.ID, Practice: s.practising(c), Limit: recentShown})
	if err != nil {
		return err
	}
	vouchers, err := s.quickVouchers(c)
	if err != nil {
		return err
	}
	l := s.localeOf(c.Request)
	page := templates.CounterPage{Typed: typed, Problem: problem, Vouchers: vouchers}
	for _, sale := range recent {
		row, err := s.recentSale(c, l, sale)
		if err != nil {
			return err
		}
		page.Recent = append(page.Recent, row)
	}
	if len(vouchersOf(s.d.Catalog.Current(), present(c).Shop.Country)) > 0 {
		page.VouchersURL = want{number: anyVoucher}.url()
	}
	return s.show(c, status, func(f templates.Frame) templ.Component {
		page.Frame = f
		return templates.Counter(page)
	})
}

func (s *Server) recentSale(c *gin.Context, l locale.Locale, sale sales.Sale) (templates.RecentSale, error) {
	known, err := s.d.Customers.Of(c.Request.Context(), sale.ShopID, sale.AccountNumber)
	return templates.RecentSale{
		RepeatURL: repeat(sale).url(), Account: accountText(l, sale), Customer: known.Name, Operator: soldOperator(s.d.Catalog.Current(), sale),
		Product: sale.ProductText, Price: sale.Price(), At: sale.RecordedAt,
	}, err
}

// repeat wants the same sale once more.
func repeat(sale sales.Sale) want {
	return want{
		number: "+" + sale.AccountNumber, provider: sale.ProviderCode, sku: sale.SKUCode,
		pay: sale.Quoted().Send.Decimal(0), step: stepConfirm,
	}
}

// operator is a provider as pages show it.
func operator(snapshot *catalog.Snapshot, p *catalog.Provider) templates.Operator {
	o := templates.Operator{Code: p.Code, Name: p.Name, ISO: p.Country, Country: p.Country, Logo: logoURL(p)}
	if country, ok := snapshot.Country(p.Country); ok {
		o.Country = country.Name
	}
	return o
}

// trail is the steps of a sale so far.
func trail(f templates.Frame, t target) templates.Trail {
	steps := templates.Trail{Account: f.GroupNumber(t.number.Digits), AccountURL: "/counter"}
	switch {
	case t.number.Digits == apiclient.DefaultPINAccountNumber:
		steps.Account = ""
	case !t.number.Phone:
		steps.Account = f.GroupDigits(t.number.Digits)
	}
	if t.provider != nil {
		steps.Operator = operator(t.snapshot, t.provider)
		steps.ProductURL = t.want.toProducts().url()
	}
	if t.product != nil {
		steps.Product = t.snapshot.Text(t.product, f.Language()).DisplayText
		if sent := accountNumber(t); t.product.Addressed() && sent != t.number.Digits {
			steps.Account = f.GroupDigits(sent) // no phone number to this provider
		}
	}
	return steps
}
