package till

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/approval"
	"airtill/internal/fault"
	"airtill/internal/money"
)

var morning = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// told is a refusal's field and code.
func told(err error) string {
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		return ""
	}
	return strings.TrimSpace(refusal.Field + " " + refusal.Code)
}

// Cash that moves has a reason, a direction and a sum; so much of it leaves a drawer only with a manager.
func TestCashThatMayMove(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("é", mostReason)
	manager := approval.Approver{ID: "boss"}
	for name, c := range map[string]struct {
		change func(*Moving)
		told   string
	}{
		"change out of the safe":         {func(*Moving) {}, ""},
		"a form of nobody":               {func(m *Moving) { m.Key = "" }, "page.too-old-to-book"},
		"to nowhere":                     {func(m *Moving) { m.Kind = "gift" }, "kind cash.direction"},
		"nothing":                        {func(m *Moving) { m.Amount = money.Of(0, "EUR") }, "amount amount.zero"},
		"less than nothing":              {func(m *Moving) { m.Amount = money.Of(-1, "EUR") }, "amount amount.zero"},
		"for no reason":                  {func(m *Moving) { m.Reason = " \t" }, "reason cash.reason"},
		"for a long reason":              {func(m *Moving) { m.Reason = " " + longest + " " }, ""},
		"for too long a reason":          {func(m *Moving) { m.Reason = longest + "x" }, "reason cash.reason-length"},
		"much into the drawer":           {func(m *Moving) { m.Amount = money.MustParse("5000", "EUR") }, ""},
		"just enough out of it":          {func(m *Moving) { m.Kind, m.Amount = ToSafe, money.MustParse("100", "EUR") }, ""},
		"a cent more":                    {func(m *Moving) { m.Kind, m.Amount = ToSafe, money.MustParse("100.01", "EUR") }, "cash.needs-manager"},
		"a cent more, spent":             {func(m *Moving) { m.Kind, m.Amount = Expense, money.MustParse("100.01", "EUR") }, "cash.needs-manager"},
		"a cent more, and it came back":  {func(m *Moving) { m.Kind, m.Amount = ExpenseBack, money.MustParse("100.01", "EUR") }, ""},
		"a cent more, and a manager":     {func(m *Moving) { m.Kind, m.Amount, m.Approver = Expense, money.MustParse("100.01", "EUR"), manager }, ""},
		"of money nobody knows here":     {func(m *Moving) { m.Kind, m.Amount = Expense, money.MustParse("0.01", "XTS") }, "cash.needs-manager"},
		"into a drawer of unknown money": {func(m *Moving) { m.Amount = money.MustParse("1", "XTS") }, ""},
	} {
		m := Moving{Key: "form", Kind: PaidIn, Amount: money.MustParse("20", "EUR"), Reason: "change"}
		c.change(&m)
		err := m.check()
		require.Equal(t, c.told, told(err), name)
		require.Equal(t, c.told == "cash.needs-manager", errors.Is(err, ErrNeedsManager), name)
	}
}

// What is counted is added up to the cent, and refused where no drawer could hold it.
func TestACountIsAddedUp(t *testing.T) {
	t.Parallel()
	eur := func(text string) money.Amount { return money.MustParse(text, "EUR") }
	for name, c := range map[string]struct {
		count Count
		sum   string
		told  string
	}{
		"nothing":              {Counted(eur("0")), "0.00 EUR", ""},
		"a sum alone":          {Counted(eur("12.34")), "12.34 EUR", ""},
		"piles and rolls":      {Count{Piles: []Pile{{50_000_000, 3}, {20_000, 7}, {500_000, 0}}, Loose: eur("0.50")}, "150.64 EUR", ""},
		"as many as there are": {Count{Piles: []Pile{{10_000, mostPieces}}, Loose: eur("0")}, "1000.00 EUR", ""},
		"one more":             {Count{Piles: []Pile{{10_000, mostPieces + 1}}, Loose: eur("0")}, "", "count.pieces"},
		"fewer than none":      {Count{Piles: []Pile{{10_000, -1}}, Loose: eur("100")}, "", "count.pieces"},
		"less than nothing":    {Counted(eur("-0.01")), "", "count.negative"},
		"more than there is":   {Count{Piles: []Pile{{1 << 46, mostPieces}}, Loose: money.Of(1<<62, "EUR")}, "", "count.too-much"},
		"fils":                 {Count{Piles: []Pile{{5_000, 3}}, Loose: money.MustParse("0.250", "KWD")}, "0.265 KWD", ""},
	} {
		sum, err := c.count.Sum()
		require.Equal(t, c.told, told(err), name)
		if c.told == "" {
			require.Equal(t, c.sum, sum.String(), name)
		}
	}
	require.Equal(t, "left count.negative", told(onField(fault.New(fault.Invalid, "count.negative"), "left")))
	plain := errors.New("the disk is full")
	require.Equal(t, plain, onField(plain, "left"), "what is no fault of the form stays as it is")
}

// Notes and coins are listed from the largest to the smallest coin there is, each once, with a limit for what leaves.
func TestNotesAndCoinsOfEveryCurrency(t *testing.T) {
	t.Parallel()
	described := 0
	for _, currency := range money.Currencies() {
		cash, err := CashOf(currency)
		require.NoError(t, err, currency)
		if len(cash.Notes)+len(cash.Coins) == 0 {
			require.True(t, cash.ApproveAbove.IsZero(), currency)
			continue
		}
		described++
		require.NotEmpty(t, cash.Notes, currency)
		require.Positive(t, cash.ApproveAbove.Sign(), currency)
		smallest := int64(money.Scale)
		for range currency.Decimals() {
			smallest /= 10
		}
		for _, pieces := range [][]money.Amount{cash.Notes, cash.Coins} {
			for i, piece := range pieces {
				require.Equal(t, currency, piece.Currency())
				require.Zero(t, piece.Micros()%smallest, "%s is no coin of %s", piece, currency)
				if i > 0 {
					require.Greater(t, pieces[i-1].Micros(), piece.Micros(), currency)
				}
			}
		}
	}
	require.Greater(t, described, 20)
}

// What stays in a drawer is as much as it began with, or what was counted where that is less; never more than that.
func TestWhatStaysInADrawer(t *testing.T) {
	t.Parallel()
	amount := func(micros int64, currency money.Currency) *money.Amount { a := money.Of(micros, currency); return &a }
	for name, c := range map[string]struct {
		opening, counted int64
		left             *money.Amount
		want             int64
		told             string
	}{
		"the float":           {50, 80, nil, 50, ""},
		"all there is":        {50, 30, nil, 30, ""},
		"nothing of nothing":  {0, 0, nil, 0, ""},
		"as somebody said":    {50, 80, amount(20, "EUR"), 20, ""},
		"nothing":             {50, 80, amount(0, "EUR"), 0, ""},
		"everything":          {50, 80, amount(80, "EUR"), 80, ""},
		"more than there is":  {50, 80, amount(81, "EUR"), 0, "left count.left"},
		"less than nothing":   {50, 80, amount(-1, "EUR"), 0, "left count.left"},
		"of another currency": {50, 80, amount(20, "USD"), 0, "left count.left"},
	} {
		r := Report{Currency: "EUR", Opening: c.opening, Closing: &Closing{Counted: c.counted}}
		got, err := left(Ending{Left: c.left}, r)
		require.Equal(t, c.told, told(err), name)
		require.Equal(t, c.want, got, name)
	}
}

// shut is the second closed shift of a till as Verify reads it, after a first one; change spoils it.
func shut(t *testing.T, change func(*looked, *Report)) (now, before looked) {
	t.Helper()
	filed := func(number int, previous string, change func(*looked, *Report)) looked {
		l := looked{ShiftID: "shift", TillID: "till", Number: number, ClosedAt: &morning}
		counted := int64(110)
		l.CountedMicros = &counted
		r := Report{Number: number, Opening: 50, Taken: 70, Refunded: 5, Goodwill: 1, PaidIn: 20, Dropped: 30, Expenses: 4, Expected: 100}
		r.Closing = &Closing{Counted: 110, Difference: 10, Left: 50, Banked: 60, Previous: previous}
		change(&l, &r)
		body, err := json.Marshal(r)
		require.NoError(t, err)
		if l.Document == nil {
			text := string(body)
			l.Document = &text
		}
		if l.Hash == nil {
			hash := hashOf(*l.Document)
			l.Hash = &hash
		}
		return l
	}
	before = filed(1, "", func(*looked, *Report) {})
	return filed(2, *before.Hash, change), before
}

// Each way in which a closed shift can be other than it must be is found by name.
func TestWhatIsWrongWithAShift(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	const sums, follows = "sums", "notAfter"
	for name, c := range map[string]struct {
		change func(*looked, *Report)
		wrong  []string
	}{
		"nothing":                 {func(*looked, *Report) {}, nil},
		"a gap in its number":     {func(l *looked, _ *Report) { l.Number = 3 }, []string{"notNext 3 2"}},
		"a text that was changed": {func(l *looked, _ *Report) { l.Hash = text("x") }, []string{"changed"}},
		"no report of this kind":  {func(l *looked, _ *Report) { l.Document = text("{}") }, []string{"unreadable"}},
		"no text at all":          {func(l *looked, _ *Report) { l.Document = text("") }, []string{"unreadable"}},
		"another before it":       {func(_ *looked, r *Report) { r.Closing.Previous = "x" }, []string{follows}},
		"cash taken":              {func(_ *looked, r *Report) { r.Taken++ }, []string{sums}},
		"cash refunded":           {func(_ *looked, r *Report) { r.Refunded++ }, []string{sums}},
		"goodwill":                {func(_ *looked, r *Report) { r.Goodwill++ }, []string{sums}},
		"cash paid in":            {func(_ *looked, r *Report) { r.PaidIn++ }, []string{sums}},
		"cash dropped":            {func(_ *looked, r *Report) { r.Dropped++ }, []string{sums}},
		"expenses":                {func(_ *looked, r *Report) { r.Expenses++ }, []string{sums}},
		"the opening":             {func(_ *looked, r *Report) { r.Opening++ }, []string{sums}},
		"what was expected":       {func(_ *looked, r *Report) { r.Expected++ }, []string{sums}},
		"what was counted":        {func(_ *looked, r *Report) { r.Closing.Counted++ }, []string{sums}},
		"the difference":          {func(_ *looked, r *Report) { r.Closing.Difference++ }, []string{sums}},
		"what stays":              {func(_ *looked, r *Report) { r.Closing.Left++ }, []string{sums}},
		"what is banked":          {func(_ *looked, r *Report) { r.Closing.Banked++ }, []string{sums}},
		"its row":                 {func(l *looked, _ *Report) { l.CountedMicros = nil }, []string{sums}},
		"the count in its row":    {func(l *looked, _ *Report) { *l.CountedMicros++ }, []string{sums}},
		"two things at once":      {func(l *looked, r *Report) { l.Number, r.Taken = 5, 0 }, []string{"notNext 5 2", sums}},
	} {
		now, before := shut(t, c.change)
		require.Equal(t, c.wrong, now.wrong(before), name)
	}
}

// A shift that is open has no report, one that is closed has, and the first of each till begins a chain of its own.
func TestWhatIsWrongWithAnOpenShift(t *testing.T) {
	t.Parallel()
	now, before := shut(t, func(l *looked, _ *Report) { l.ClosedAt = nil })
	require.Equal(t, []string{"early"}, now.wrong(before))
	now.Document, now.Hash = nil, nil
	require.Empty(t, now.wrong(before))
	now.ClosedAt = &morning
	require.Equal(t, []string{"unreported"}, now.wrong(before))
	now, before = shut(t, func(*looked, *Report) {})
	before.TillID = "another"
	require.Equal(t, []string{"notNext 2 1", "notAfter"}, now.wrong(before))
	require.Empty(t, before.wrong(now))
	require.Empty(t, before.wrong(looked{}))
}
