package counter

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/web/frame"
	"airtill/web/templates"
)

// findOperator decides the operator, or asks: it returns "" once it has
// answered the request.
func (s *Screens) findOperator(
	c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w frame.Want,
) (string, error) {
	l := s.LocaleOf(c.Request)
	if provider, ok := snapshot.Provider(w.Not); ok {
		return "", s.chooseInstead(c, snapshot, number, w, provider)
	}
	if w.Country != "" {
		return "", s.chooseOperator(c, snapshot, number, w, snapshot.ProvidersIn(w.Country), l.Text("operator.byHand"))
	}
	result, err := s.D.Catalog.Lookup(c.Request.Context(), number)
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
		w.Country = result.Country
		return "", s.chooseOperator(
			c, snapshot, number, w, snapshot.ProvidersIn(result.Country), l.Text("operator.ofCountry"),
		)
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
func (s *Screens) refuseNumber(c *gin.Context, w frame.Want, problem string) error {
	return s.askForNumber(c, http.StatusUnprocessableEntity, templates.CounterPage{Typed: w.Number, Problem: problem})
}

// askAgain says that a number has a digit too many or too few, and who has numbers
// like it all the same.
func (s *Screens) askAgain(c *gin.Context, snapshot *catalog.Snapshot, w frame.Want, result catalog.Result) error {
	l, slip := s.LocaleOf(c.Request), result.Slip
	text := "number.tooFew"
	if slip.Has > slip.Want {
		text = "number.tooMany"
	}
	page := templates.CounterPage{
		Typed: w.Number, Problem: l.Text(
			text, l.MobileOf(slip.Country), l.Number(int64(slip.Want)), l.Number(int64(slip.Has)),
		),
		InsistURL: frame.Want{Number: w.Number, Country: anyCountry}.URL(),
	}
	for _, p := range providersOf(result) {
		page.Readings = append(page.Readings, templates.Reading{
			Operator: operator(snapshot, p), URL: frame.Want{Number: w.Number, Provider: p.Code}.URL(),
		})
	}
	return s.askForNumber(c, http.StatusUnprocessableEntity, page)
}

// chooseOperator asks which of some operators it is; why says where they come from.
func (s *Screens) chooseOperator(
	c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w frame.Want, providers []*catalog.Provider,
	why string,
) error {
	if len(providers) == 0 {
		return s.chooseCountry(c, snapshot, number, frame.Want{Number: w.Number})
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		return templates.ChooseOperator(templates.ChooseOperatorPage{
			Frame: f, Hidden: w.ToOperator().Fields(), Why: why, CountryURL: frame.Want{
				Number: w.Number, Country: anyCountry,
			}.URL(),
			Trail:      trail(f, target{snapshot: snapshot, number: number, want: w}),
			Candidates: operators(snapshot, providers),
		})
	})
}

// chooseInstead asks for the operator of a number that moved: those of the country it
// was taken for, then other countries.
func (s *Screens) chooseInstead(
	c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w frame.Want, provider *catalog.Provider,
) error {
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		return templates.ChooseOperator(templates.ChooseOperatorPage{
			Frame: f, Hidden: w.ToNumber().Fields(), Why: f.Text("operator.instead", provider.Name),
			Countries:  countries(snapshot.SellingCountries()),
			Trail:      trail(f, target{snapshot: snapshot, number: number, want: w}),
			Candidates: operators(snapshot, snapshot.Instead(provider)),
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

func (s *Screens) chooseCountry(c *gin.Context, snapshot *catalog.Snapshot, number catalog.Number, w frame.Want) error {
	shop := frame.Present(c).Shop
	popular, err := s.D.Report.Popular(c.Request.Context(), shop.ID)
	if err != nil {
		return err
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		return templates.ChooseCountry(templates.ChooseCountryPage{
			Frame: f, Hidden: w.ToNumber().Fields(), Trail: trail(f, target{
				snapshot: snapshot, number: number, want: w,
			}),
			Common: countries(snapshot.CommonCountries(shop.Country, popular.Countries, commonCountries)),
			Sold:   len(popular.Countries) > 0,
			All:    countries(snapshot.SellingCountries()),
		})
	})
}

// operator is a provider as pages show it.
func operator(snapshot *catalog.Snapshot, p *catalog.Provider) templates.Operator {
	o := templates.Operator{Code: p.Code, Name: p.Name, ISO: p.Country, Country: p.Country, Logo: frame.LogoURL(p)}
	if country, ok := snapshot.Country(p.Country); ok {
		o.Country = country.Name
	}
	return o
}
