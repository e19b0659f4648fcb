package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/counter"
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
	if w.step == stepNumber || w.number == "" && !c.Request.URL.Query().Has("number") {
		return s.askForNumber(c, http.StatusOK, templates.CounterPage{Typed: w.number, Back: w.number != ""})
	}
	if w.step == stepRecall {
		return s.recall(c, w.number)
	}
	if found, err := s.findCustomer(c, w.number); err != nil || found {
		return err
	}
	if w.number == anyVoucher {
		return s.showVouchers(c, snapshot)
	}
	number, err := catalog.ParseNumber(w.number, present(c).Shop.Country)
	if err != nil {
		return s.refuseNumber(c, w, s.localeOf(c.Request).Fault(err))
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
	if w.sku != "" {
		return s.preview(c, w)
	}
	provider, ok := snapshot.Provider(w.provider)
	if !ok {
		return fault.New(fault.NotFound, "provider.gone")
	}
	tariff, err := s.tariff(c)
	if err != nil {
		return err
	}
	return s.showOffers(c, target{snapshot: snapshot, number: number, provider: provider, want: w, tariff: tariff})
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

// quoted is what a quote is about.
func quoted(w want, q *counter.Quote) target {
	return target{snapshot: q.Snapshot, number: q.Number, provider: q.Provider, product: q.Product, want: w}
}

// tariff is what the user's shop charges now.
func (s *Server) tariff(c *gin.Context) (*pricing.Tariff, error) {
	shop := present(c).Shop
	return s.d.Pricing.Tariff(c.Request.Context(), shop.ID, shop.Currency, shop.Location(), s.d.Now())
}

// findOperator decides the operator, or asks: it returns "" once it has
// answered the request.
func (s *Server) findOperator(c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w want) (string, error) {
	l := s.localeOf(c.Request)
	if provider, ok := snapshot.Provider(w.not); ok {
		return "", s.chooseInstead(c, snapshot, number, w, provider)
	}
	if w.country != "" {
		return "", s.chooseOperator(c, snapshot, number, w, snapshot.ProvidersIn(w.country), l.Text("operator.byHand"))
	}
	result, err := s.d.Catalog.Lookup(c.Request.Context(), number)
	if fault.FieldOf(err) == "number" {
		return "", s.refuseNumber(c, w, l.Fault(err))
	}
	if err != nil {
		return "", err
	}
	switch result.Outcome {
	case catalog.FoundOperator:
		return result.Candidates[0].Provider.Code, nil
	case catalog.FoundChoice:
		why := l.Text("operator.several")
		if result.Foreign {
			why = l.Text("operator.foreign")
		}
		return "", s.chooseOperator(c, snapshot, number, w, providersOf(result), why)
	case catalog.FoundMistyped:
		return "", s.askAgain(c, snapshot, w, result)
	case catalog.FoundCountry:
		w.country = result.Country
		return "", s.chooseOperator(c, snapshot, number, w, snapshot.ProvidersIn(result.Country), l.Text("operator.ofCountry"))
	case catalog.FoundNothing:
	}
	return "", s.chooseCountry(c, snapshot, number, w)
}

func providersOf(result catalog.Result) []*catalog.Provider {
	var providers []*catalog.Provider
	for _, candidate := range result.Candidates {
		providers = append(providers, candidate.Provider)
	}
	return providers
}

// refuseNumber shows the field again, with what is wrong with what was typed.
func (s *Server) refuseNumber(c *gin.Context, w want, problem string) error {
	return s.askForNumber(c, http.StatusUnprocessableEntity, templates.CounterPage{Typed: w.number, Problem: problem})
}

// askAgain says that a number has a digit too many or too few, and who has numbers
// like it all the same.
func (s *Server) askAgain(c *gin.Context, snapshot *catalog.Snapshot, w want, result catalog.Result) error {
	l, slip := s.localeOf(c.Request), result.Slip
	text := "number.tooFew"
	if slip.Has > slip.Want {
		text = "number.tooMany"
	}
	page := templates.CounterPage{
		Typed: w.number, Problem: l.Text(text, l.MobileOf(slip.Country), l.Number(int64(slip.Want)), l.Number(int64(slip.Has))),
		InsistURL: want{number: w.number, country: anyCountry}.url(),
	}
	for _, p := range providersOf(result) {
		page.Readings = append(page.Readings, templates.Reading{Operator: operator(snapshot, p), URL: want{number: w.number, provider: p.Code}.url()})
	}
	return s.askForNumber(c, http.StatusUnprocessableEntity, page)
}

// chooseOperator asks which of some operators it is; why says where they come from.
func (s *Server) chooseOperator(c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w want, providers []*catalog.Provider, why string) error {
	if len(providers) == 0 {
		return s.chooseCountry(c, snapshot, number, want{number: w.number})
	}
	return s.show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		return templates.ChooseOperator(templates.ChooseOperatorPage{
			Frame: f, Hidden: w.toOperator().fields(), Why: why, CountryURL: want{number: w.number, country: anyCountry}.url(),
			Trail: trail(f, target{snapshot: snapshot, number: number, want: w}), Candidates: operators(snapshot, providers),
		})
	})
}

// chooseInstead asks for the operator of a number that moved: those of the country it
// was taken for, then other countries.
func (s *Server) chooseInstead(c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w want, provider *catalog.Provider) error {
	return s.show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		return templates.ChooseOperator(templates.ChooseOperatorPage{
			Frame: f, Hidden: w.toNumber().fields(), Why: f.Text("operator.instead", provider.Name), Countries: countries(snapshot.SellingCountries()),
			Trail: trail(f, target{snapshot: snapshot, number: number, want: w}), Candidates: operators(snapshot, snapshot.Instead(provider)),
		})
	})
}

func operators(snapshot *catalog.Snapshot, providers []*catalog.Provider) []templates.Operator {
	var all []templates.Operator
	for _, p := range providers {
		all = append(all, operator(snapshot, p))
	}
	return all
}

func countries(found []*catalog.Country) []templates.Country {
	var all []templates.Country
	for _, country := range found {
		all = append(all, templates.Country{ISO: country.ISO, Name: country.Name})
	}
	return all
}

// anyCountry asks for the choice of a country whatever the number says.
const anyCountry = "?"

const commonCountries = 9

func (s *Server) chooseCountry(c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w want) error {
	shop := present(c).Shop
	popular, err := s.d.Report.Popular(c.Request.Context(), shop.ID)
	if err != nil {
		return err
	}
	return s.show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		return templates.ChooseCountry(templates.ChooseCountryPage{
			Frame: f, Hidden: w.toNumber().fields(), Trail: trail(f, target{snapshot: snapshot, number: number, want: w}),
			Common: countries(snapshot.CommonCountries(shop.Country, popular.Countries, commonCountries)), Sold: len(popular.Countries) > 0,
			All: countries(snapshot.SellingCountries()),
		})
	})
}

// askForNumber shows the field with what else the page says.
func (s *Server) askForNumber(c *gin.Context, status int, page templates.CounterPage) error {
	recent, err := s.d.Sales.Recent(c.Request.Context(), present(c).Shop.ID, present(c).Till.ID, s.practising(c), recentShown)
	if err != nil {
		return err
	}
	vouchers, err := s.quickVouchers(c)
	if err != nil {
		return err
	}
	l := s.localeOf(c.Request)
	page.Vouchers = vouchers
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
		Product: sale.ProductText, Price: sale.Price(), At: sale.RecordedAt, State: string(sale.Fulfilment),
	}, err
}

// repeat wants the same sale once more.
func repeat(sale sales.Sale) want {
	return want{
		number: "+" + sale.AccountNumber, provider: sale.ProviderCode, sku: sale.SKUCode,
		send: sale.Quoted().Send.Decimal(0), step: stepConfirm,
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
	steps := templates.Trail{Account: f.GroupNumber(t.number.Digits), AccountURL: t.want.back()}
	switch {
	case t.number.Digits == apiclient.DefaultPINAccountNumber:
		steps.Account = ""
	case !t.number.Phone || t.provider != nil && !t.snapshot.TakesPhones(t.provider.Code):
		steps.Account = f.GroupDigits(t.number.Digits)
	}
	if t.provider != nil {
		steps.Operator = operator(t.snapshot, t.provider)
		steps.ProductURL = t.want.toProducts().url()
	}
	if t.product != nil {
		steps.Product = t.snapshot.Text(t.product, f.Language()).DisplayText
		if sent := t.snapshot.AccountNumber(t.product, t.number); t.product.Addressed() && sent != t.number.Digits {
			steps.Account = f.GroupDigits(sent) // no phone number to this provider
		}
	}
	return steps
}
