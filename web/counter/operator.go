package counter

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// whyTexts are the keys of the texts that say why an operator has to be chosen.
var whyTexts = map[counter.Why]string{
	counter.Several: "operator.several", counter.Foreign: "operator.foreign", counter.OfCountry: "operator.ofCountry",
	counter.ByHand: "operator.byHand",
}

// chooseOperator shows what the operator of a number has to be chosen from.
func (s *Screens) chooseOperator(c *gin.Context, w frame.Want, o *counter.Operator) error {
	if o.Why == counter.Mistyped {
		return s.askAgain(c, w, o)
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		others := countries(f.Locale, o.Countries)
		frame.Alphabetical(f.Locale, others, func(c templates.Country) string { return c.Name })
		t := s.trail(f, target{snapshot: o.Snapshot, number: o.Number, want: w})
		if o.Why == counter.Unknown {
			return templates.ChooseCountry(templates.ChooseCountryPage{
				Frame: f, Hidden: s.FieldsOf(w.ToNumber()), Trail: t, Sold: o.Sold,
				Common: countries(f.Locale, o.Common), All: others,
			})
		}
		page := templates.ChooseOperatorPage{Frame: f, Trail: t, Candidates: operators(f.Locale, o)}
		if o.Why == counter.Moved {
			page.Hidden, page.Countries = s.FieldsOf(w.ToNumber()), others
			page.Why = f.Text("operator.instead", o.Not.Name)
		} else {
			w.Country = o.Country
			page.Hidden, page.Why = s.FieldsOf(w.ToOperator()), f.Text(whyTexts[o.Why])
			page.CountryURL = s.URLOf(frame.Want{Number: w.Number, Country: anyCountry})
		}
		return templates.ChooseOperator(page)
	})
}

// refuseNumber shows the field again, with what is wrong.
func (s *Screens) refuseNumber(c *gin.Context, w frame.Want, problem string) error {
	return s.askForNumber(c, http.StatusUnprocessableEntity, templates.CounterPage{Typed: w.Number, Problem: problem})
}

// askAgain says that a number has a digit too many or too few, and offers the operators that have numbers like it.
func (s *Screens) askAgain(c *gin.Context, w frame.Want, o *counter.Operator) error {
	l, slip := s.LocaleOf(c.Request), o.Slip
	text := "number.tooFew"
	if slip.Has > slip.Want {
		text = "number.tooMany"
	}
	page := templates.CounterPage{
		Typed: w.Number, Problem: l.Text(
			text, l.MobileOf(slip.Country), l.Number(int64(slip.Want)), l.Number(int64(slip.Has)),
		),
		InsistURL: s.URLOf(frame.Want{Number: w.Number, Country: anyCountry}),
	}
	for _, reading := range operators(l, o) {
		page.Readings = append(page.Readings, templates.Reading{
			Operator: reading, URL: s.URLOf(frame.Want{Number: w.Number, Provider: reading.Code}),
		})
	}
	return s.askForNumber(c, http.StatusUnprocessableEntity, page)
}

func operators(l locale.Locale, o *counter.Operator) (all []templates.Operator) {
	for _, p := range o.Candidates {
		all = append(all, operator(l, o.Snapshot, p))
	}
	return all
}

func countries(l locale.Locale, found []*catalog.Country) (all []templates.Country) {
	for _, country := range found {
		all = append(all, templates.Country{ISO: country.ISO, Name: l.Country(country.ISO, country.Name)})
	}
	return all
}

// operator is a provider as pages show it.
func operator(l locale.Locale, on *catalog.Snapshot, p *catalog.Provider) templates.Operator {
	return templates.Operator{
		Code: p.Code, Name: p.Name, Logo: frame.LogoURL(p),
		ISO: p.Country, Country: frame.CountryName(l, on, p.Country),
	}
}
