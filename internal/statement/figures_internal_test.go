package statement

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/invariant"
	"airtill/internal/money"
)

// booked is what a journal booked on an account: a debit, or a credit below zero.
func booked(account, kind string, micros int64) line {
	l := line{Account: account, Kind: kind, Currency: "EUR", Count: 1}
	if micros > 0 {
		l.Debit = micros
	} else {
		l.Credit = micros
	}
	return l
}

// What an account's lines mean on a statement: which figure they raise, and which balance they move.
func TestWhereLinesStandOnAStatement(t *testing.T) {
	t.Parallel()
	moves := func(in, out int64) Moves { return Moves{In: in, Out: out, Closing: in + out} }
	for name, c := range map[string]struct {
		line line
		want Money
	}{
		"cash for a sale":            {booked("1000", "J1", 7), Money{Cash: moves(7, 0), Taken: 7}},
		"cash given back":            {booked("1000", "J12", -7), Money{Cash: moves(0, -7), GivenBack: 7, Refunds: 1}},
		"goodwill out of a drawer":   {booked("1000", "J16", -7), Money{Cash: moves(0, -7), Goodwill: 7, Margin: -7}},
		"a drawer that was short":    {booked("1000", "J17", -7), Money{Cash: moves(0, -7), OverShort: -7}},
		"cash into the safe":         {booked("1000", "J20", -7), Money{Cash: moves(0, -7), Banked: 7}},
		"something bought":           {booked("1000", "J21", -7), Money{Cash: moves(0, -7), Expenses: 7}},
		"the float of a drawer":      {booked("1000", "J0", 7), Money{Cash: moves(7, 0), FloatIn: 7}},
		"change out of the safe":     {booked("1000", "J19", 7), Money{Cash: moves(7, 0), FloatIn: 7}},
		"a customer's prepayment":    {booked("2000", "J1", -7), Money{Prepaid: moves(7, 0)}},
		"a prepayment earned":        {booked("2000", "J7", 7), Money{Prepaid: moves(0, -7)}},
		"a refund that becomes due":  {booked("2010", "J6", -7), Money{RefundsDue: moves(7, 0)}},
		"a refund that was paid":     {booked("2010", "J12", 7), Money{RefundsDue: moves(0, -7)}},
		"float that is reserved":     {booked("1110", "J2", 7), Money{Held: moves(7, 0)}},
		"a batch that was accepted":  {booked("1120", "J8", 7), Money{Held: moves(7, 0)}},
		"what the upstream owes":     {booked("1130", "J10", 7), Money{Receivable: moves(7, 0)}},
		"the float":                  {booked("1100", "J2", -7), Money{Float: -7}},
		"face value earned":          {booked("4000", "J7", -7), Money{FaceValue: 7, Sent: 1, Margin: 7}},
		"face value taken back":      {booked("4000", "J15", 7), Money{FaceValue: -7, Margin: -7}},
		"the customer's fee":         {booked("4010", "J7", -7), Money{CustomerFee: 7, Margin: 7}},
		"the mark-up":                {booked("4020", "J7", -7), Money{MarkUp: 7, Margin: 7}},
		"commission":                 {booked("4100", "J4", -7), Money{Commission: 7, Margin: 7}},
		"the provider's value":       {booked("5000", "J3", 7), Money{Cost: 7, Margin: -7}},
		"the fee passed on":          {booked("5010", "J3", 7), Money{Cost: 7, Margin: -7}},
		"the distributor's fee":      {booked("5100", "J3", 7), Money{Fee: 7, Margin: -7}},
		"a loss":                     {booked("5900", "J14", 7), Money{Losses: 7, Margin: -7}},
		"goodwill for a sale":        {booked("5920", "J23", 7), Money{Goodwill: 7, Margin: -7}},
		"goodwill from a difference": {booked("5920", "J23", -7), Money{Goodwill: -7, Margin: 7}},
		"goodwill's other side":      {booked("5920", "J16", 7), Money{}},
		"the safe, which is no shop": {booked("1010", "J20", 7), Money{}},
		"the other side of a count":  {booked("5910", "J17", 7), Money{}},
	} {
		c.want.Currency = "EUR"
		require.Equal(t, []Money{c.want}, figures(nil, []line{c.line}), name)
	}
}

// A day begins with what the one before closed with, in each of its currencies, whether or not anything moved.
func TestADayOpensWhereTheOneBeforeClosed(t *testing.T) {
	t.Parallel()
	before := map[string]Money{
		"USD": {Currency: "USD", Taken: 99, Cash: Moves{Opening: 1, In: 4, Closing: 5}, Receivable: Moves{Closing: 3}},
		"EUR": {Currency: "EUR", Prepaid: Moves{Closing: 10}, Held: Moves{Closing: 4}, RefundsDue: Moves{Closing: 2}},
	}
	got := figures(before, []line{booked("2000", "J7", 10), booked("1100", "J13", 1)})
	require.Equal(t, []Money{
		{
			Currency: "EUR", Prepaid: Moves{Opening: 10, Out: -10}, Held: Moves{Opening: 4, Closing: 4},
			RefundsDue: Moves{Opening: 2, Closing: 2}, Float: 1,
		},
		{Currency: "USD", Cash: Moves{Opening: 5, Closing: 5}, Receivable: Moves{Opening: 3, Closing: 3}},
	}, got)
	require.Empty(t, figures(nil, nil))
}

// What was booked for a sale of an earlier day is one correction in each currency, however many journals and batches it
// came in.
func TestCorrectionsAreOneForEachSale(t *testing.T) {
	t.Parallel()
	row := func(sale string, currency money.Currency, kind string, margin, cash int64) late {
		return late{ShopID: "shop", SaleID: sale, Code: "C" + sale, Currency: currency, Kind: kind, Margin: margin, Cash: cash}
	}
	r := reading{corrections: map[string][]Correction{}, late: []late{
		row("2", "EUR", "J12", 0, -10), row("1", "EUR", "J4", 3, 0), row("2", "EUR", "J15", -5, 0), row("1", "USD", "J7", 1, 0),
		row("2", "EUR", "J12", 0, -1), // the rest of the journal, in the next batch
	}}
	r.correct()
	require.Equal(t, map[string][]Correction{"shop": {
		{SaleID: "1", Code: "C1", Currency: "EUR", Kinds: []string{"J4"}, Margin: 3},
		{SaleID: "1", Code: "C1", Currency: "USD", Kinds: []string{"J7"}, Margin: 1},
		{SaleID: "2", Code: "C2", Currency: "EUR", Kinds: []string{"J12", "J15"}, Margin: -5, Cash: -11},
	}}, r.corrections)
}

// chained is a shop's first statement and the one after it, which change may spoil before it is sealed, and after.
func chained(t *testing.T, change func(*Document), after func(*Statement)) (now, before Statement) {
	t.Helper()
	at := time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)
	sealed := func(number int, previous string, opening, closing int64, change func(*Document)) Statement {
		from := at.AddDate(0, 0, number)
		doc := Document{ShopID: "shop", Number: number, Day: from.Format(time.DateOnly), Previous: previous, Money: []Money{{
			Currency: "EUR", Cash: Moves{Opening: opening, In: closing - opening, Closing: closing},
		}}}
		change(&doc)
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		return Statement{
			ShopID: "shop", Number: number, Day: from.Format(time.DateOnly), FromAt: from, ToAt: from.AddDate(0, 0, 1),
			Document: string(text), Hash: hashOf(string(text)),
		}
	}
	before = sealed(1, "", 0, 5, func(*Document) {})
	now = sealed(2, before.Hash, 5, 9, change)
	after(&now)
	return now, before
}

// Each way in which a statement can be other than it must be is found, and nothing else is.
func TestWhatIsWrongWithAStatement(t *testing.T) {
	t.Parallel()
	same, sealed := func(*Document) {}, func(*Statement) {}
	const follows, cash = "notAfter", "sums cash EUR"
	for name, c := range map[string]struct {
		change func(*Document)
		after  func(*Statement)
		want   []string
	}{
		"nothing":               {same, sealed, nil},
		"a gap in the numbers":  {same, func(s *Statement) { s.Number = 4 }, []string{"notNext 1", follows}},
		"a text that changed":   {same, func(s *Statement) { s.Document += " " }, []string{"changed"}},
		"a text that is none":   {same, func(s *Statement) { s.Document, s.Hash = "x", hashOf("x") }, []string{"unreadable"}},
		"another one before":    {func(d *Document) { d.Previous = "x" }, sealed, []string{follows}},
		"another number inside": {func(d *Document) { d.Number = 7 }, sealed, []string{follows}},
		"another day inside":    {func(d *Document) { d.Day = "2026-01-01" }, sealed, []string{follows}},
		"another shop inside":   {func(d *Document) { d.ShopID = "other" }, sealed, []string{follows}},
		"an hour left out":      {same, func(s *Statement) { s.FromAt = s.FromAt.Add(time.Hour) }, []string{"gap"}},
		"another opening":       {func(d *Document) { d.Money[0].Cash.Opening, d.Money[0].Cash.In = 6, 3 }, sealed, []string{cash}},
		"a sum that is off":     {func(d *Document) { d.Money[0].Cash.In++ }, sealed, []string{cash}},
		"another balance": {func(d *Document) {
			d.Money[0].Prepaid, d.Money[0].Held.Opening = Moves{In: 1}, 1
			d.Money[0].RefundsDue.Out, d.Money[0].Receivable.Closing = -1, 1
		}, sealed, []string{
			"sums held EUR", "sums prepaid EUR", "sums receivable EUR",
			"sums refundsDue EUR",
		}},
		"a currency that began": {func(d *Document) { d.Money = append(d.Money, Money{Currency: "USD", Cash: Moves{In: 1, Closing: 1}}) }, sealed, nil},
		"one that did not": {
			func(d *Document) {
				d.Money = append(d.Money, Money{Currency: "USD", Cash: Moves{Opening: 1, Closing: 1}})
			}, sealed,
			[]string{"sums cash USD"},
		},
	} {
		now, before := chained(t, c.change, c.after)
		got := now.problems(before)
		for _, problem := range got {
			require.Contains(t, invariant.Kinds(), invariant.Kind("statement."+strings.Fields(problem)[0]))
		}
		slices.Sort(got)
		slices.Sort(c.want)
		require.Equal(t, c.want, got, name)
	}
	now, _ := chained(t, same, sealed)
	require.Contains(t, strings.Join(now.problems(Statement{ShopID: "another", Number: 1}), ", "), "notNext 0", "each shop has its own")
}

// Days of shops that end at one moment and were read equally far are read together, and no others.
func TestDaysThatAreReadTogether(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)
	on := func(name string, from time.Time, last int64, longer ...time.Duration) day {
		d := day{name: name, from: from, to: from.AddDate(0, 0, 1)}
		for _, by := range longer { // clocks change
			d.to = d.to.Add(by)
		}
		if last > 0 {
			d.before = &Statement{LastPosting: last}
		}
		return d
	}
	all := groups([]day{on("a", at, 0), on("b", at.Add(time.Hour), 0), on("c", at, 0), on("d", at, 7), on("e", at, 7), on("f", at, 0, time.Hour), on("g", at.Add(time.Hour), 0, -time.Hour)})
	var named []string
	for _, group := range all {
		var names string
		for _, d := range group {
			names += d.name
		}
		named = append(named, names)
	}
	require.Equal(t, "[ac b de f g]", fmt.Sprint(named))
}
