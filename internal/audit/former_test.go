package audit_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/money"
)

// TestFormerEntriesAreRead: entries as rooms wrote them before there were facts.
func TestFormerEntriesAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		record audit.Record
		want   audit.Facts
	}{
		{audit.Record{}, nil},
		{
			audit.Record{Act: audit.TillRenamed, Before: `"Till 1"`, After: `"12.00 EUR"`},
			audit.Facts{{Name: "name", Kind: audit.AsText, Before: "Till 1", After: "12.00 EUR"}},
		},
		{
			audit.Record{Act: audit.ProviderValidatingSet, After: `false`},
			audit.Facts{{Name: "validating", Kind: audit.AsYesNo, After: "false"}},
		},
		{
			audit.Record{Before: `{"disabled":false,"shop":"01S"}`, After: `{"disabled":true,"proposedBy":"01U","shop":"01S"}`},
			audit.Facts{
				{Name: "disabled", Kind: audit.AsYesNo, Before: "false", After: "true"},
				{Name: "proposedby", Kind: audit.AsPerson, After: "01U"},
				{Name: "shop", Kind: audit.AsShop, Before: "01S", After: "01S"},
			},
		},
		{
			audit.Record{Before: `{"most":"5","shop":"","subject":"number","period":"day","measure":"count"}`},
			audit.Facts{
				{Name: "limit", Kind: audit.AsWord, Before: "number/day/count"},
				{Name: "most", Kind: audit.AsText, Before: "5"},
			},
		},
		{
			audit.Record{After: `{"rule":"float_low","tier":"critical","facts":["12.50 EUR","a"]}`},
			audit.Facts{audit.Word("rule", "float_low\n12.50 EUR\na"), audit.Word("tier", "critical")},
		},
		{
			audit.Record{After: `{"act":"/sales/:id/refund?open","below cost":"allowed","float":"-0.30 EUR","starts":"2026-03-01","tills":3}`},
			audit.Facts{
				audit.Word("act", "refund-unknown"), audit.YesNo("belowcost", true),
				audit.Money("float", money.Of(-300_000, "EUR")), audit.Day("starts", "2026-03-01"), audit.Count("tills", 3),
			},
		},
		{
			audit.Record{
				Subject: "sale:01X", Reason: "as agreed",
				After: `{"ID":"01V","SaleID":"01X","Verdict":"failed","Reason":"as agreed","ProposedAt":"2027-01-09T04:26:51.742379Z","DecidedAt":null,"DecidedBy":"","Agreed":false}`,
			},
			audit.Facts{
				audit.YesNo("agreed", false),
				{Name: "proposedat", Kind: audit.AsTime, After: "2027-01-09T04:26:51.742379Z"},
				audit.Word("verdict", "failed"),
			},
		},
		{
			audit.Record{After: `{"allowed":"open-twin","saleID":"01Y"}`, Subject: "sale:01X"},
			audit.Facts{audit.Word("allowed", "open-twin"), audit.Text("saleid", "01Y")},
		},
		{
			audit.Record{After: `{"shop":{"ID":"01S","Name":"Main Street","CreatedAt":"0001-01-01T00:00:00Z"},"tills":2}`},
			audit.Facts{audit.Text("name", "Main Street"), audit.Count("tills", 2)},
		},
		{
			audit.Record{After: `{"TillID":"01T","recipients":["a@example.com","b@example.com"]}`},
			audit.Facts{audit.AtTill("01T"), audit.Text("recipients", "a@example.com, b@example.com")},
		},
	} {
		facts, err := c.record.Facts()
		require.NoError(t, err)
		require.Equal(t, c.want, facts, c.record.After)
	}
	for _, tampered := range []audit.Record{{Seq: 7, After: `{"broken`}, {Seq: 7, Before: `x`}, {Seq: 7, After: `[7]`}} {
		_, err := tampered.Facts()
		require.ErrorContains(t, err, "audit entry 7")
	}
}

// TestEveryFormerWriterIsRead: at least one real entry of each, with nothing left that a
// program would have to be known for.
func TestEveryFormerWriterIsRead(t *testing.T) {
	t.Parallel()
	stored, err := os.ReadFile("testdata/former.jsonl")
	require.NoError(t, err)
	read := map[audit.Act]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(stored)); lines.Scan(); {
		var r audit.Record
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		facts, err := r.Facts()
		require.NoError(t, err)
		require.NotEmpty(t, facts, r.Act)
		for _, f := range facts {
			require.Regexp(t, `^[a-z]+$`, f.Name, r.Act)
			require.NotContains(t, f.Before+f.After, `"`, r.Act)
		}
		read[r.Act] = true
	}
	require.Len(t, read, 43)
}

func TestFactsSayWhatChanged(t *testing.T) {
	t.Parallel()
	eur := money.Of(12_500_000, "EUR")
	was := audit.Facts{audit.Text("name", "A"), audit.Money("most", eur), audit.YesNo("disabled", false)}
	is := audit.Facts{audit.Text("name", "B"), audit.YesNo("disabled", false), audit.Count("tills", 2)}
	require.Equal(t, audit.Facts{
		{Name: "name", Kind: audit.AsText, Before: "A", After: "B"},
		{Name: "disabled", Kind: audit.AsYesNo, Before: "false", After: "false"},
		{Name: "tills", Kind: audit.AsCount, After: "2"},
		{Name: "most", Kind: audit.AsMoney, Before: "12.50 EUR"},
	}, audit.Between(was, is))
	require.Equal(t, audit.Text("name", "A"), was[0], "neither is touched")
	require.Equal(t, is, audit.Between(nil, is))
	require.Equal(t, "2", is.After("tills"))
	require.Empty(t, is.After("most"))
	at := time.Date(2026, 3, 1, 13, 0, 0, 5000, time.FixedZone("", 3600))
	require.Equal(t, audit.Fact{Name: "ends", Kind: audit.AsTime, After: "2026-03-01T12:00:00.000005Z"}, audit.Time("ends", at))
}
