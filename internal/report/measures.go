package report

import "strings"

// Measures are the sums of a rollup. The amounts down to MarginMicros are in the
// currency of the till, the others in the agent's, all in millionths; unless it
// says otherwise they are of complete sales.
type Measures struct {
	Sales    int64 // however they ended
	Complete int64
	Failed   int64 // failed, cancelled or voided
	Open     int64

	PriceMicros    int64 // paid at the counter
	RefundedMicros int64 // of sales that did not go through, handed back
	DueMicros      int64 // of those, still to be handed back
	OpenMicros     int64 // of sales whose outcome is open
	MarkUpMicros   int64 // price above SendValue, at the rate of the day where the currencies differ
	MarginMicros   int64 // price and commission less cost

	SendMicros       int64 // SendValue
	FeeMicros        int64 // CustomerFee, inside of SendValue
	DistMicros       int64 // DistributorFee, on top of it
	CommissionMicros int64 // what the upstream credited
	ExpectedMicros   int64 // what it was to credit by the catalogue's rate

	OutcomeMS  int64 // milliseconds from recorded to final, of all that are final
	Within2s   int64 `gorm:"column:within_2s"`
	Within10s  int64 `gorm:"column:within_10s"`
	Within100s int64 `gorm:"column:within_100s"`
}

// measureNames are the columns of the sums, in the order of fields.
var measureNames = []string{
	"sales", "complete", "failed", "open",
	"price_micros", "refunded_micros", "due_micros", "open_micros", "mark_up_micros", "margin_micros",
	"send_micros", "fee_micros", "dist_micros", "commission_micros", "expected_micros",
	"outcome_ms", "within_2s", "within_10s", "within_100s",
}

func (m *Measures) fields() []*int64 {
	return []*int64{
		&m.Sales, &m.Complete, &m.Failed, &m.Open,
		&m.PriceMicros, &m.RefundedMicros, &m.DueMicros, &m.OpenMicros, &m.MarkUpMicros, &m.MarginMicros,
		&m.SendMicros, &m.FeeMicros, &m.DistMicros, &m.CommissionMicros, &m.ExpectedMicros,
		&m.OutcomeMS, &m.Within2s, &m.Within10s, &m.Within100s,
	}
}

// Add adds another's sums to these.
func (m *Measures) Add(other Measures) {
	theirs := other.fields()
	for i, field := range m.fields() {
		*field += *theirs[i]
	}
}

// Settled returns how many sales have their outcome.
func (m Measures) Settled() int64 { return m.Complete + m.Failed }

// SuccessPerMille returns how many of a thousand settled sales went through, and
// false if none is settled.
func (m Measures) SuccessPerMille() (int64, bool) {
	if m.Settled() == 0 {
		return 0, false
	}
	return (m.Complete*1000 + m.Settled()/2) / m.Settled(), true
}

// OutcomeMillis returns the mean time to an outcome in milliseconds, and false
// if none is settled.
func (m Measures) OutcomeMillis() (int64, bool) {
	if m.Settled() == 0 {
		return 0, false
	}
	return m.OutcomeMS / m.Settled(), true
}

// sumsSQL is a list of sums for a SELECT.
func sumsSQL(names []string) string {
	sums := make([]string, len(names))
	for i, name := range names {
		// PostgreSQL's sum of BIGINT is NUMERIC, SQLite's is an integer.
		sums[i] = "CAST(SUM(" + name + ") AS BIGINT) AS " + name
	}
	return strings.Join(sums, ", ")
}
