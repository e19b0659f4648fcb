package sales

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A transfer under way may have a text of its own, without the PIN, and so may an attempt that was reversed: the PIN is
// in the record that completes the sale, or in a later one.
func TestThePINReplacesWhatWasWrittenBeforeIt(t *testing.T) {
	t.Parallel()
	wrote := func(o Observation, receipt, hint, serial string) Observation {
		o.Facts.SealedReceipt, o.Facts.PINHint, o.Facts.SerialHash = receipt, hint, serial
		return o
	}
	has := func(r *run, receipt, hint, serial string) {
		require.Equal(t, []string{receipt, hint, serial}, []string{r.sale.SealedReceipt, r.sale.PINHint, r.sale.SerialHash})
	}
	queued := newRun(t, "Batch").sent().do(wrote(told(Replied, Submitted), "queued", "", "-"))
	queued.do(wrote(told(Listed, Complete), "the PIN", "1234", "serial"))
	has(queued, "the PIN", "1234", "serial")
	queued.do(wrote(told(Listed, Complete), "the PIN, sealed again", "1234", "serial"))
	has(queued, "the PIN", "1234", "serial")

	early := newRun(t, "Batch").sent().do(wrote(told(Replied, Submitted), "the PIN", "1234", "serial"))
	early.do(wrote(told(Listed, Complete), "thank you", "", ""))
	has(early, "the PIN", "1234", "serial")

	later := newRun(t, "Instant").sent().do(wrote(told(Replied, Complete), "thank you", "", "-"))
	later.do(wrote(told(Listed, Complete), "the PIN", "1234", "serial"))
	has(later, "the PIN", "1234", "serial")

	reversed := newRun(t, "Instant").sent().do(wrote(told(Replied, Complete), "the first PIN", "1111", "first"))
	reversed.do(told(Listed, Failed)).wait(reversalSettles).do(told(Listed, Failed), Observation{Cause: Repaid})
	reversed.do(Observation{Cause: TriedAgain, NewRef: "another"}).sent().do(told(Replied, Complete))
	has(reversed, "", "", "")
}
