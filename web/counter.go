package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/till"
	"airtill/web/templates"
)

const recentShown = 8

// counter is GET /counter: each step of a sale is the same address with one
// thing more settled.
func (s *Server) counter(c *gin.Context) error {
	shift, err := s.openShift(c)
	if err != nil {
		return err
	}
	if shift == nil {
		return s.askForShift(c, http.StatusOK, "", "")
	}
	snapshot := s.d.Catalog.Current()
	if snapshot.Empty() {
		return s.show(c, http.StatusOK, func(f templates.Frame) templ.Component { return templates.NothingToSell(f) })
	}
	w := readWant(c)
	if w.number == "" && !c.Request.URL.Query().Has("number") {
		return s.askForNumber(c, http.StatusOK, "", "")
	}
	number, err := catalog.ParseNumber(w.number, present(c).Shop.Country)
	if err != nil {
		return s.askForNumber(c, http.StatusUnprocessableEntity, w.number, fault.Message(err))
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
	t := target{snapshot: snapshot, number: number, provider: provider, want: w}
	if w.sku == "" {
		return s.showOffers(c, t)
	}
	if t.product, ok = snapshot.Product(w.sku); !ok || t.product.Provider != provider.Code || t.product.Unsellable != "" {
		return fault.New(fault.NotFound, "This product is no longer sold. Choose another.")
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

func (s *Server) chooseOperator(c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w want, providers []*catalog.Provider, byHand bool) error {
	if len(providers) == 0 {
		return s.chooseCountry(c, snapshot, number, want{number: w.number})
	}
	return s.show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.ChooseOperatorPage{Frame: f, Hidden: w.toOperator().fields(), ByHand: byHand, CountryURL: want{number: w.number, country: anyCountry}.url()}
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
	recent, err := s.d.Sales.List(c.Request.Context(), sales.Filter{TillID: present(c).Till.ID, Limit: recentShown})
	if err != nil {
		return err
	}
	return s.show(c, status, func(f templates.Frame) templ.Component {
		page := templates.CounterPage{Frame: f, Typed: typed, Problem: problem}
		for _, sale := range recent {
			page.Recent = append(page.Recent, templates.RecentSale{
				RepeatURL: repeat(sale).url(), Account: accountText(f.Locale, sale), Operator: soldOperator(s.d.Catalog.Current(), sale),
				Product: sale.ProductText, Price: sale.Price(), At: sale.RecordedAt,
			})
		}
		return templates.Counter(page)
	})
}

// repeat wants the same sale once more.
func repeat(sale sales.Sale) want {
	return want{
		number: "+" + sale.AccountNumber, provider: sale.ProviderCode, sku: sale.SKUCode,
		pay: sale.Quoted().Send.Decimal(0), step: stepConfirm,
	}
}

// openShift returns the shift at the user's till, nil if none is open.
func (s *Server) openShift(c *gin.Context) (*till.Shift, error) {
	p := present(c)
	if p.Till.ID == "" {
		return nil, fault.New(fault.Conflict, "Your shop has no till yet. Ask an administrator to set one up.")
	}
	return s.d.Till.Current(c.Request.Context(), p.Till.ID)
}

// operator is a provider as pages show it.
func operator(snapshot *catalog.Snapshot, p *catalog.Provider) templates.Operator {
	o := templates.Operator{Code: p.Code, Name: p.Name, ISO: p.Country, Country: p.Country}
	if country, ok := snapshot.Country(p.Country); ok {
		o.Country = country.Name
	}
	return o
}

// trail is the steps of a sale so far.
func trail(f templates.Frame, t target) templates.Trail {
	steps := templates.Trail{Account: f.GroupNumber(t.number.Digits), AccountURL: "/counter"}
	if !t.number.Phone {
		steps.Account = f.GroupDigits(t.number.Digits)
	}
	if t.provider != nil {
		steps.Operator = operator(t.snapshot, t.provider)
		steps.ProductURL = t.want.toProducts().url()
	}
	if t.product != nil {
		steps.Product = t.snapshot.Text(t.product, f.Language()).DisplayText
	}
	return steps
}
