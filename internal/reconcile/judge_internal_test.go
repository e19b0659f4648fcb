package reconcile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
)

var asked = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func euros(text string) money.Amount { return money.MustParse(text, "EUR") }

// codeOf is a refusal's field and code.
func codeOf(err error) string {
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		return ""
	}
	return strings.TrimSpace(refusal.Field + " " + refusal.Code)
}

// A commission may differ from its rate by less than the smallest coin, which rounding explains.
func TestACommissionWithinACoin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		yes  bool
	}{
		{"0.80 EUR", "0.80 EUR", true},
		{"0.809999 EUR", "0.80 EUR", true},
		{"0.81 EUR", "0.80 EUR", false},
		{"0.79 EUR", "0.80 EUR", false},
		{"0.790001 EUR", "0.80 EUR", true},
		{"80 JPY", "80.999999 JPY", true},
		{"80 JPY", "81 JPY", false},
		{"0.800 KWD", "0.801 KWD", false},
		{"0.80 EUR", "0.80 USD", false},
	} {
		amount := func(text string) money.Amount {
			value, currency, _ := strings.Cut(text, " ")
			return money.MustParse(value, money.Currency(currency))
		}
		require.Equal(t, c.yes, within(amount(c.a), amount(c.b)), "%s and %s", c.a, c.b)
		require.Equal(t, c.yes, within(amount(c.b), amount(c.a)), "%s and %s", c.b, c.a)
	}
}

// What a sale under way may have done to a balance: nothing yet, its cost, its end; one that was listed as under way
// afterwards has been charged and no more.
func TestWhatASaleUnderWayMayHaveDone(t *testing.T) {
	t.Parallel()
	told := UpstreamBalance{AskedAt: asked, ToldAt: asked}
	at := func(after time.Duration) *time.Time { t := asked.Add(after); return &t }
	u := under{Fulfilment: sales.Processing, Cost: 1020, Commission: 80, Float: -1020}
	require.Equal(t, []int64{-1020, -940, 0}, u.options(told))
	require.EqualValues(t, -1020, u.most(told))
	u.OpenSeenAt = at(settleFor)
	require.False(t, u.wentOn(told), "the list may be as old as that")
	u.OpenSeenAt = at(settleFor + 1)
	require.True(t, u.wentOn(told))
	require.Equal(t, []int64{-1020}, u.options(told))
	failed := under{Fulfilment: sales.Failed, Cost: 1020, Receivable: 1020, Float: -1020}
	require.Equal(t, []int64{-1020, 0}, failed.options(told), "and perhaps paid back")

	open, over := under{ID: "a", Fulfilment: sales.Processing, Float: -5}, under{ID: "b", Fulfilment: sales.Complete, Float: -7}
	w := scales{told: told, sales: []under{open, over}, difference: -15}
	require.EqualValues(t, -3, w.rest())
	require.False(t, w.ready(asked.Add(waitForSales-1)))
	require.True(t, w.ready(asked.Add(waitForSales)), "it was waited for long enough")
	w.sales[0].OpenSeenAt = at(time.Hour)
	require.True(t, w.ready(asked), "it is known to have gone on")
	w.sales = w.sales[1:]
	require.True(t, w.ready(asked))
	require.True(t, scales{told: told}.ready(asked))

	require.True(t, w.shares(UpstreamBalance{ToldAt: asked, OpenSet: "x,b"}), "it was under way at both")
	require.False(t, w.shares(UpstreamBalance{ToldAt: asked, OpenSet: "x,bb"}))
	require.False(t, w.shares(UpstreamBalance{ToldAt: asked}))
	require.False(t, scales{sales: []under{open}}.shares(UpstreamBalance{OpenSet: "a"}), "it is under way yet")
}

// A refund that was owed at a balance which left nothing open, and had not come, is an old one.
func TestARefundThatABalancePassedOver(t *testing.T) {
	t.Parallel()
	settled := UpstreamBalance{AskedAt: asked, OpenSet: "b,c"}
	ended := func(id string, ago time.Duration) *sales.Sale {
		at := asked.Add(-ago)
		return &sales.Sale{ID: id, FinalAt: &at}
	}
	require.True(t, settled.passedOver(ended("a", time.Second)))
	require.False(t, settled.passedOver(ended("a", 0)), "it failed as it was asked")
	require.False(t, settled.passedOver(ended("c", time.Hour)), "it was under way")
	require.False(t, settled.passedOver(&sales.Sale{ID: "a"}))
	require.False(t, UpstreamBalance{}.passedOver(ended("a", time.Hour)), "no balance has settled yet")
}

// How one person may resolve a difference: with a reason, by an account that is meant for it, with the reference of a
// payment, and only where there is something to book.
func TestHowADifferenceMayBeResolved(t *testing.T) {
	t.Parallel()
	higher, lower := Break{Kind: BalanceUp, FloatMicros: 5, Currency: "EUR"}, Break{Kind: BalanceDown, FloatMicros: -5, Currency: "EUR"}
	why := func(p Proposal) Proposal { p.Note = "because"; return p }
	for name, c := range map[string]struct {
		b    Break
		p    Proposal
		told string
		on   ledger.Account
	}{
		"nothing to book":            {Break{Kind: CommissionOff, Micros: 5}, why(Proposal{Resolution: WriteOff}), "break.nothing-to-book", ""},
		"no reason":                  {lower, Proposal{Resolution: WriteOff, Note: " \n"}, "note reason.missing", ""},
		"no resolution":              {lower, why(Proposal{}), "resolution break.resolution", ""},
		"one that books nothing":     {lower, why(Proposal{Resolution: Agreed}), "resolution break.resolution", ""},
		"a loss":                     {lower, why(Proposal{Resolution: WriteOff, Account: ledger.Safe}), "", ledger.Losses},
		"of other software":          {lower, why(Proposal{Resolution: Foreign}), "", ledger.UsedByOthers},
		"a payment":                  {higher, why(Proposal{Resolution: TopUp, Account: ledger.Safe, Reference: "R"}), "", ledger.Safe},
		"a payment still owed":       {higher, why(Proposal{Resolution: TopUp, Account: ledger.FloatPayable, Reference: "R"}), "", ledger.FloatPayable},
		"a payment without a name":   {higher, why(Proposal{Resolution: TopUp, Account: ledger.Safe, Reference: " "}), "reference payment.reference", ""},
		"a payment out of the float": {higher, why(Proposal{Resolution: TopUp, Account: ledger.Float, Reference: "R"}), "account break.top-up-account", ""},
		"a payment of less":          {lower, why(Proposal{Resolution: TopUp, Account: ledger.Safe, Reference: "R"}), "account break.top-up-account", ""},
		"a payment of a refund":      {Break{Kind: PartialRefund, Micros: -2, FloatMicros: 3, Currency: "EUR"}, why(Proposal{Resolution: TopUp, Account: ledger.Safe, Reference: "R"}), "account break.top-up-account", ""},
		"an account for it":          {lower, why(Proposal{Resolution: Journal, Account: ledger.Goodwill}), "", ledger.Goodwill},
		"an account that is not":     {lower, why(Proposal{Resolution: Journal, Account: ledger.Commission}), "account break.account", ""},
		"no account":                 {lower, why(Proposal{Resolution: Journal}), "account break.account", ""},
		"a refund that is missing":   {Break{Kind: RefundOverdue, Micros: -5, Currency: "EUR"}, why(Proposal{Resolution: WriteOff}), "", ledger.Losses},
	} {
		require.Equal(t, c.told, codeOf(c.p.check(c.b)), name)
		if c.told == "" {
			require.Equal(t, c.on, c.p.Account, name)
		}
	}
}

// What a resolution books moves the float to where the upstream says it is; a refund is booked whole, so its missing
// part is what remains.
func TestWhatAResolutionBooks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		b    Break
		want string
	}{
		"a loss":            {Break{Kind: BalanceDown, Micros: -5, FloatMicros: -5, Resolution: WriteOff, Account: ledger.Losses}, "J23 1100 -5, 5900 5"},
		"a payment":         {Break{Kind: BalanceUp, Micros: 5, FloatMicros: 5, Resolution: TopUp, Account: ledger.Safe}, "J13 1100 5, 1010 -5"},
		"of other software": {Break{Kind: ForeignSale, Micros: -5, FloatMicros: -5, Resolution: Foreign, Account: ledger.UsedByOthers}, "J22 1140 5, 1100 -5"},
		"a partial refund":  {Break{Kind: PartialRefund, Micros: -2, FloatMicros: 3, Resolution: WriteOff, Account: ledger.Losses}, "J23 1100 -2, 5900 2"},
	} {
		c.b.Currency = "EUR"
		j := c.b.journal()
		var legs []string
		for _, leg := range j.Legs {
			legs = append(legs, fmt.Sprintf("%s %d", leg.Account, leg.Amount.Micros()))
		}
		require.Equal(t, c.want, string(j.Kind)+" "+strings.Join(legs, ", "), name)
	}
}

// Ages of differences are half-open: on the day on which it is a day old, a difference is of the next age.
func TestAgesOfDifferences(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for age, step := range map[time.Duration]int{0: 0, -time.Hour: 0, day - 1: 0, day: 1, 3*day - 1: 1, 3 * day: 2, 7 * day: 3, 30*day - 1: 3, 30 * day: 4, 900 * day: 4} {
		require.Equal(t, step, ageStep(age), age)
	}
}

// A list is believed while it lacks few sales, or fewer than it has.
func TestAListThatMayBeBelieved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		missing, pairs int
		told           string
	}{{0, 0, ""}, {10, 0, ""}, {11, 0, "upstream.list-lacks-sales"}, {11, 10, "upstream.list-lacks-sales"}, {11, 11, ""}, {500, 600, ""}} {
		look := Look{Matching: Matching{Pairs: c.pairs, Findings: []Finding{{Kind: ForeignSale}}}}
		for range c.missing {
			look.Findings = append(look.Findings, Finding{Kind: MissingUpstream})
		}
		require.Equal(t, c.told, codeOf(look.plausible()), "%d of %d", c.missing, c.pairs)
	}
}

// The upstream that refused is told apart from one that did not answer, and from having asked too often.
func TestWhatIsToldOfALookThatFailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		told string
	}{
		"no answer":    {&apiclient.Error{Op: "ListTransferRecords", Err: errors.New("reset")}, "upstream.no-answer"},
		"a refusal":    {&apiclient.Error{Op: "ListTransferRecords", Status: 200, ResultCode: 5}, "upstream.no-look"},
		"ours already": {fault.New(fault.Unavailable, "upstream.list-lacks-sales"), "upstream.list-lacks-sales"},
		"a defect":     {errors.New("out of range"), ""},
		"nothing":      {nil, ""},
	} {
		require.Equal(t, c.told, codeOf(told(c.err)), name)
	}
	require.Equal(t, "upstream.list-lacks-sales", problemOf(fault.New(fault.Unavailable, "upstream.list-lacks-sales")))
	require.Equal(t, "upstream.budget", problemOf(fmt.Errorf("list: %w", apiclient.ErrBudget)))
	require.Equal(t, "upstream.no-look", problemOf(errors.New("out of range")))
}
