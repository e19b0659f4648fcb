package report

import "strings"

// Measures are the sums of a rollup, in millionths: down to MarginMicros in the till's currency, then in the
// agent's. They are of complete sales unless noted.
type Measures struct {
	Sales    int64 // whatever their outcome
	Complete int64
	Failed   int64 // failed, cancelled or voided
	Open     int64

	PriceMicros    int64 // paid at the counter
	RefundedMicros int64 // handed back, for sales that did not go through or of which nobody knew
	DueMicros      int64 // still to be handed back for those
	OpenMicros     int64 // held for sales whose outcome is open
	MarkUpMicros   int64 // price above SendValue, at the rate of the day where the currencies differ
	MarginMicros   int64 // price and commission less cost

	SendMicros       int64 // SendValue
	FeeMicros        int64 // CustomerFee, part of SendValue
	DistMicros       int64 // DistributorFee, on top of it
	CommissionMicros int64 // what the upstream credited
	ExpectedMicros   int64 // what it should have credited by the catalogue's rate

	OutcomeMS  int64 // milliseconds from recorded to final, of all final sales
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

// Settled returns how many sales have an outcome.
func (m Measures) Settled() int64 { return m.Complete + m.Failed }

// SuccessPerMille returns how many of a thousand settled sales went through; false if none is settled.
func (m Measures) SuccessPerMille() (int64, bool) {
	if m.Settled() == 0 {
		return 0, false
	}
	return (m.Complete*1000 + m.Settled()/2) / m.Settled(), true
}

// OutcomeMillis returns the mean milliseconds to an outcome; false if none is settled.
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
		// PostgreSQL sums BIGINT to NUMERIC, SQLite to an integer.
		sums[i] = "CAST(SUM(" + name + ") AS BIGINT) AS " + name
	}
	return strings.Join(sums, ", ")
}
