package receipt_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/receipt"
	"airtill/internal/store"
)

func codeOf(err error) string {
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return refusal.Field + "/" + refusal.Code
	}
	return ""
}

// The roll and the letters of a printer are those there are; what is set is on record.
func TestAPrintersPaper(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := newPrints(db)
		for _, c := range []struct {
			width, columns int
			told           string
		}{{58, 32, ""}, {58, 42, ""}, {80, 42, ""}, {80, 48, ""}, {80, 40, "columns/printer.width"}, {72, 48, "columns/printer.width"}, {0, 0, "columns/printer.width"}} {
			p := receipt.Printer{TillID: "till", Width: c.width, Columns: c.columns, Kick: true}
			require.Equal(t, c.told, codeOf(s.SetPrinter(t.Context(), audit.Command("test"), p)), "%d mm, %d", c.width, c.columns)
		}
		set := receipt.Printer{TillID: "till", Width: 58, Columns: 32, Bridge: "http://localhost:9101", Auto: true}
		require.NoError(t, s.SetPrinter(t.Context(), audit.Command("test"), set))
		got, err := s.Printer(t.Context(), "till")
		require.NoError(t, err)
		require.Equal(t, set, got, "the whole of it is replaced")
		records, err := s.Uses().Audit.List(t.Context(), audit.Filter{Act: audit.PrinterChanged})
		require.NoError(t, err)
		require.Len(t, records, 5)
		facts, err := records[0].Facts()
		require.NoError(t, err)
		require.Equal(t, "http://localhost:9101", facts.After("bridge"))
		require.Equal(t, audit.Of(audit.Till, "till"), records[0].Subject)
		require.Equal(t, "bridge/printer.bridge", codeOf(s.SetPrinter(t.Context(), audit.Command("test"), receipt.Printer{TillID: "till", Width: 58, Columns: 32, Bridge: "http://10.0.0.9:9101"})))
	})
}

// Nothing else stands in the address of a bridge: it goes into a page's content policy.
func TestAPrinterBridgeIsOnThisMachine(t *testing.T) {
	t.Parallel()
	s := newPrints(storetest.New(t))
	for bridge, told := range map[string]string{
		"http://127.0.0.1:9101": "", "https://[::1]:9101/print": "", "http://localhost:9101": "",
		"http://[::1%25;frame-ancestors%20*]:9101": "bridge/printer.bridge", "http://[fe80::1%25lo]:9101": "bridge/printer.bridge",
		"http://localhost": "bridge/printer.bridge", "ftp://localhost:21": "bridge/printer.bridge",
		"http://u@localhost:9101": "bridge/printer.bridge", "http://localhost:9101?a": "bridge/printer.bridge",
		"http://localhost:9101/#a": "bridge/printer.bridge", "http://localhost.example:9101": "bridge/printer.bridge",
		"http://0.0.0.0:9101": "bridge/printer.bridge", "http://192.168.0.7:9101": "bridge/printer.bridge",
	} {
		p := receipt.Printer{TillID: "till", Width: 58, Columns: 32, Bridge: bridge}
		require.Equal(t, told, codeOf(s.SetPrinter(t.Context(), audit.Command("test"), p)), bridge)
	}
}

// A form prints one paper; it prints no other's, and none without being one.
func TestAFormPrintsItsOwnPaper(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s, by := newPrints(db), audit.Actor{UserID: "aoife", TillID: "till"}
		first, err := s.Start(t.Context(), by, "form", "sale", receipt.Receipt, receipt.Customers)
		require.NoError(t, err)
		_, err = s.Start(t.Context(), by, "form", "another sale", receipt.Receipt, receipt.Customers)
		require.Equal(t, "/print.busy", codeOf(err))
		_, err = s.Start(t.Context(), by, "", "sale", receipt.Receipt, receipt.Customers)
		require.Equal(t, "/page.too-old-to-print", codeOf(err))
		for slip, copies := range map[receipt.Slip]map[receipt.Copy]int{
			receipt.Receipt: {receipt.Customers: 2, receipt.Shops: 1}, receipt.Waiting: {receipt.Customers: 1},
		} {
			for copied, want := range copies {
				next, err := s.Next(t.Context(), "sale", slip, copied)
				require.NoError(t, err)
				require.Equal(t, want, next, "%s, %s", slip, copied)
			}
		}
		found, err := s.Find(t.Context(), first.ID, "sale")
		require.NoError(t, err)
		require.Equal(t, "till", found.TillID)
		_, err = s.Find(t.Context(), first.ID, "another sale")
		require.Equal(t, "/print.none", codeOf(err))
		for sale, opens := range map[string]bool{"another sale": false, "sale": true} {
			opened, err := s.Open(t.Context(), first.ID, sale)
			require.NoError(t, err)
			require.Equal(t, opens, opened, sale)
		}
	})
}

// Prints of one paper that begin at once have numbers of their own: none is a first print twice.
func TestPrintsAtOnceHaveNumbersOfTheirOwn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s, by := newPrints(db), audit.Actor{UserID: "aoife", TillID: "till"}
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				_, errs[i] = s.Start(t.Context(), by, fmt.Sprint("form-", i), "sale", receipt.Receipt, receipt.Customers)
			})
		}
		all.Wait()
		started := 0
		for _, err := range errs {
			if err == nil {
				started++
				continue
			}
			require.Equal(t, "/print.busy", codeOf(err))
		}
		prints, err := s.Prints(t.Context(), "sale")
		require.NoError(t, err)
		require.Len(t, prints, started)
		for i, p := range prints {
			require.Equal(t, i+1, p.Number)
		}
		reprinted, err := s.Uses().Audit.List(t.Context(), audit.Filter{Act: audit.ReceiptReprinted})
		require.NoError(t, err)
		require.Len(t, reprinted, started-1, "each but the first is on record")
	})
}

// The last prints of a paper are listed, the oldest first; whether the last one failed is asked of that one alone.
func TestTheLastPrintsAreListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s, by := newPrints(db), audit.Actor{UserID: "aoife", TillID: "till"}
		require.False(t, receipt.LastFailed(nil))
		var ids []string
		for i := range 102 {
			p, err := s.Start(t.Context(), by, fmt.Sprint("form-", i), "sale", receipt.Receipt, receipt.Customers)
			require.NoError(t, err)
			ids = append(ids, p.ID)
		}
		listed := func() []receipt.Print {
			prints, err := s.Prints(t.Context(), "sale")
			require.NoError(t, err)
			require.Len(t, prints, 100)
			return prints
		}
		require.Equal(t, ids[2], listed()[0].ID)
		require.Equal(t, ids[101], listed()[99].ID)
		require.NoError(t, s.Fail(t.Context(), ids[100], "sale"))
		require.False(t, receipt.LastFailed(listed()))
		require.NoError(t, s.Fail(t.Context(), ids[101], "sale"))
		require.True(t, receipt.LastFailed(listed()))
	})
}

// When a print failed stays as it was told first.
func TestAPrintFailsOnce(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := newPrints(db)
	s.Uses().Now = func() time.Time { return now }
	p, err := s.Start(t.Context(), audit.Actor{UserID: "aoife"}, "form", "sale", receipt.Receipt, receipt.Customers)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, s.Fail(t.Context(), p.ID, "sale"))
		now = now.Add(time.Hour)
	}
	p, err = s.Find(t.Context(), p.ID, "sale")
	require.NoError(t, err)
	require.Equal(t, now.Add(-2*time.Hour), p.FailedAt.UTC())
}

// The report of a shift is printed like a shop's copy, and its copies are on record as the shift's.
func TestAReportIsPrintedAsItsShifts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s, by := newPrints(db), audit.Actor{UserID: "aoife", TillID: "till"}
		for i := range 2 {
			p, err := s.StartReport(t.Context(), by, fmt.Sprint("form-", i), "shift")
			require.NoError(t, err)
			require.Equal(t, i+1, p.Number)
			require.Equal(t, receipt.Shops, p.Copy)
		}
		records, err := s.Uses().Audit.List(t.Context(), audit.Filter{Act: audit.ReceiptReprinted})
		require.NoError(t, err)
		require.Len(t, records, 1)
		require.Equal(t, audit.Of(audit.Shift, "shift"), records[0].Subject)
		facts, err := records[0].Facts()
		require.NoError(t, err)
		require.Equal(t, "2", facts.After("number"))
	})
}
