package frame

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/search"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/locale"
	"airtill/web/templates"
)

// LimitName is what a limit is called.
func LimitName(l locale.Locale, kind limit.Kind) string {
	return l.Word("limits.", kind.Name(), string(kind.Subject))
}

// RoleName is what a role is called.
func RoleName(l locale.Locale, r staff.Role) string { return l.Word("role.", string(r), string(r)) }

// RefusedName is why a webhook was refused.
func RefusedName(l locale.Locale, reason string) string {
	return l.Word("webhooks.why.", reason, reason)
}

// TaxText writes a tax, "" if the provider states none.
func TaxText(l locale.Locale, name, rate string) string {
	exact, err := money.Rate(rate)
	if err != nil || exact.IsZero() {
		return ""
	}
	percent := exact.Shift(2).String()
	return strings.TrimSpace(l.Text("confirm.taxRate", name, l.Decimal(percent)))
}

// ZoneName writes a time zone as people say it: its place, or as it is where it is named after none.
func ZoneName(zone string) string {
	return strings.ReplaceAll(zone[strings.LastIndex(zone, "/")+1:], "_", " ")
}

// ZoneChoices are the time zones a shop can be in, by country and place, and the one that others have.
func ZoneChoices(l locale.Locale, other string) []templates.Choice {
	all, known := []templates.Choice(nil), false
	for _, zone := range staff.Zones() {
		known = known || zone.Name == other
		text := l.Country(zone.Country, zone.Country) + ", " + ZoneName(zone.Name)
		all = append(all, templates.Choice{Value: zone.Name, Text: text})
	}
	if !known {
		all = append(all, templates.Choice{Value: other, Text: ZoneName(other)})
	}
	ByText(l, all)
	return all
}

// Choices are values to choose from, each as it is sent and as it is called.
func Choices[T any](all []T, each func(T) (value, text string)) []templates.Choice {
	choices := make([]templates.Choice, len(all))
	for i, one := range all {
		choices[i].Value, choices[i].Text = each(one)
	}
	return choices
}

// PickNamed is a list to filter by, of values in the order of what they are called.
func PickNamed(l locale.Locale, name, text, chosen string, named map[string]string) templates.Pick {
	codes := slices.Sorted(maps.Keys(named)) // the order of those with one name
	Alphabetical(l, codes, func(code string) string { return named[code] })
	choices := Choices(codes, func(code string) (string, string) { return code, named[code] })
	return templates.Pick{
		Name: name, Text: text, Chosen: chosen,
		Choices: append([]templates.Choice{{Text: l.Text("office.all")}}, choices...),
	}
}

// ByText sorts choices by what they say.
func ByText(l locale.Locale, all []templates.Choice) {
	Alphabetical(l, all, func(c templates.Choice) string { return c.Text })
}

// Alphabetical sorts by name, as the reader's language does, and "Till 2" before "Till 10". Those with one name stay in
// their order.
func Alphabetical[T any](l locale.Locale, all []T, name func(T) string) {
	type placed struct {
		one T
		at  []byte
	}
	order, memory := collate.New(language.Make(l.Language()), collate.Numeric), new(collate.Buffer)
	places := make([]placed, len(all))
	for i, one := range all {
		places[i] = placed{one, order.KeyFromString(memory, name(one))}
	}
	slices.SortStableFunc(places, func(x, y placed) int { return bytes.Compare(x.at, y.at) })
	for i, next := range places {
		all[i] = next.one
	}
}

// ShopChoices are shops to choose from, by name.
func ShopChoices(l locale.Locale, shops []staff.Shop) []templates.Choice {
	choices := Choices(shops, func(s staff.Shop) (string, string) { return s.ID, s.Name })
	ByText(l, choices)
	return choices
}

// CountryChoices are the countries a shop can be in, by name in the reader's language.
func CountryChoices(l locale.Locale) []templates.Choice {
	var all []templates.Choice
	for _, code := range staff.Countries() {
		all = append(all, templates.Choice{Value: code, Text: l.Country(code, code)})
	}
	ByText(l, all)
	return append([]templates.Choice{{}}, all...) // none is preselected
}

// The tones, each with a colour and a word.
const (
	ToneGood = "good"
	ToneLook = "wait"
	ToneBad  = "bad"
)

// LimitText explains a limit to those it stopped.
func LimitText(l locale.Locale, e *limit.Error) string {
	most, used := l.Number(e.Limit.Most), l.Number(e.Used)
	if e.Limit.Measure == limit.Sum {
		most, used = l.Amount(e.Limit.Amount()), l.Amount(money.Of(e.Used, e.Limit.Currency))
	}
	return l.Text("limit."+e.Limit.Name(), used, most)
}

// MailEvery are the intervals of mailed reports.
var MailEvery = []string{"day", "week", "month"}

// Validity writes an ISO 8601 duration for people, "" if unreadable.
func Validity(l locale.Locale, iso string) string {
	p, err := apiclient.ParseDuration(iso)
	if err != nil {
		return ""
	}
	var parts []string
	hours, minutes := int(p.Time/time.Hour), int(p.Time%time.Hour/time.Minute)
	for _, part := range []struct {
		count int
		words string
	}{
		{p.Years, l.Count("validity.years", p.Years)},
		{p.Months, l.Count("validity.months", p.Months)},
		{p.Days, l.Count("validity.days", p.Days)},
		{hours, l.Count("validity.hours", hours)},
		{minutes, l.Count("validity.minutes", minutes)},
	} {
		if part.count > 0 {
			parts = append(parts, part.words)
		}
	}
	return strings.Join(parts, l.Text("validity.and"))
}

// Spelled writes a sale's code as it is read aloud.
func Spelled(code string) string { return code[:4] + "-" + code[4:] }

// Masked is an account number of which a screen shows only the end.
func Masked(number string) string { return strings.ReplaceAll(receipt.Masked(number), "*", "•") }

// StepKeys are the texts of the steps.
var StepKeys = map[sales.Step]string{
	sales.Step(sales.Confirmed): "timeline.confirmed", sales.Step(sales.Permitted): "timeline.sent",
	sales.Step(sales.NothingLeft): "timeline.unsent", sales.Step(sales.Lost): "timeline.lost",
	sales.Step(sales.TooLate): "timeline.tooLate", sales.Step(sales.CalledOff): "timeline.calledOff",
	sales.Step(sales.CancelAsked): "timeline.cancelAsked", sales.Step(sales.TriedAgain): "timeline.triedAgain",
	sales.Step(sales.Refunded): "timeline.refunded", sales.Step(sales.Revealed): "timeline.revealed",
	sales.Step(sales.Decided): "timeline.decided", sales.Step(sales.Repaid): "timeline.repaid",
	sales.StepTold: "timeline.told", sales.StepDetails: "timeline.details", sales.StepAbsent: "timeline.absent",
	sales.StepEarlier: "timeline.earlier", sales.StepAllowed: "timeline.allowed",
	sales.StepNotGiven: "timeline.notGiven",
	sales.StepLate:     "turn.late", sales.StepLateLoss: "turn.lateLoss",
	sales.StepReversed: "turn.reversed", sales.StepRecover: "turn.recovered",
}

// StopNames are the keys of stops that a manager may lift.
var StopNames = map[string]string{
	sales.StopOpenTwin: "audit.stop.twin", sales.StopLimit: "audit.stop.limit",
	sales.StopRefundUnknown: "approvals.refundUnknown", sales.StopRetryEarly: "approvals.retry",
	sales.StopNotGivenBack: "approvals.notGivenBack",
}

// StepText puts a step into words.
func StepText(l locale.Locale, m sales.Moment, price money.Amount) string {
	switch m.Step {
	case sales.StepAsked:
		return l.Count("timeline.asked", m.Times)
	case sales.StepTold, sales.Step(sales.Decided):
		return l.Text(StepKeys[m.Step], templates.StateWord(l, string(m.State)))
	case sales.StepAllowed:
		return l.Text(StepKeys[m.Step], l.Text(StopNames[m.Stop]))
	case sales.Step(sales.Confirmed), sales.Step(sales.Refunded), sales.StepNotGiven, sales.StepLate,
		sales.StepLateLoss, sales.StepReversed, sales.StepRecover:
		return l.Text(StepKeys[m.Step], l.Amount(price))
	default:
		return l.Text(StepKeys[m.Step])
	}
}

// ToneIf is the tone if holds, otherwise none.
func ToneIf(holds bool, tone string) string {
	if holds {
		return tone
	}
	return ""
}

// ResourceName is what a sync fetches.
func ResourceName(l locale.Locale, r catalog.Resource) string {
	return l.Text("catalogue.resource." + string(r))
}

// Saying returns what says whether a text has every word that somebody typed, case and
// accents of a language aside.
func Saying(tag, typed string) func(text string) bool {
	matcher, words := search.New(language.Make(tag), search.Loose), strings.Fields(typed)
	return func(text string) bool {
		return !slices.ContainsFunc(words, func(word string) bool {
			start, _ := matcher.IndexString(text, word)
			return start < 0
		})
	}
}

// CorrectedLater says what was booked of a drawer's difference since its close, and of which sales.
func CorrectedLater(l locale.Locale, later []till.Correction) (lines []templates.Cause) {
	for _, c := range later {
		lines = append(lines, templates.Cause{
			Line: templates.Line{Name: l.Text("report.later", l.DateTime(c.At)), Value: l.Amount(c.Amount)},
			URL:  "/sales/" + c.SaleID,
		})
	}
	return lines
}
