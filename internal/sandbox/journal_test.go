package sandbox_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/sandbox"
)

func newDiskLab(t *testing.T) *lab {
	t.Helper()
	directory := t.TempDir()
	return newLab(t, func(d *sandbox.Deps) { d.Data = directory })
}

func (l *lab) journal() string { return filepath.Join(l.deps.Data, "journal.jsonl") }

func TestJournal_EverythingIsThereAfterARestart(t *testing.T) {
	t.Parallel()
	l := newDiskLab(t)
	l.config(`{"limits":false,"batchDelay":"10m"}`)
	l.send("A", nil).is(t, 200, 1, "")
	l.send("B", map[string]any{"SendValue": 500}).is(t, 400, 4, "ParameterOutOfRange/SendValue")
	l.sendBatch("C")
	l.must("POST", "/_sandbox/topup", `{"amount":"100.00"}`)
	l.fault(`{"match":{"endpoint":"GetBalance"},"action":{"kind":"balance_drift","amount":"-1"}}`)
	l.api("GetBalance", "")
	l.login()
	before, listed := l.ledger(), l.list("")

	l.restart()
	require.Equal(t, before, l.ledger())
	after := l.list("")
	require.Equal(t, refs(listed), refs(after))
	for i := range listed {
		require.Equal(t, listed[i].TransferRecord, after[i].TransferRecord)
	}
	l.api("GetBalance", "").is(t, 200, 1, "") // the token of before is still good
	r := l.send("D", nil)
	require.Equal(t, "172366400003", r.TransferRecord.TransferID.TransferRef, "TransferRefs go on rising")
	l.advance(10 * time.Minute)
	l.reaches("C", "Processing") // what was under way goes on
}

func TestJournal_ATornLastLineIsDropped(t *testing.T) {
	t.Parallel()
	l := newDiskLab(t)
	l.send("A", nil).is(t, 200, 1, "")
	before := l.ledger()
	l.close()
	file, err := os.OpenFile(l.journal(), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(`{"transfer":{"ref":172366400002,"distributorRef":"B","execu`)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	l.open()
	require.Equal(t, before, l.ledger())
	l.send("C", nil).is(t, 200, 1, "")
	l.restart()
	require.Equal(t, 1, l.entry("C").TimesExecuted)
}

func TestJournal_ABrokenLineStopsTheStart(t *testing.T) {
	t.Parallel()
	l := newDiskLab(t)
	l.close()
	require.NoError(t, os.WriteFile(l.journal(), []byte("{\"opening\":{\"balance\":1,\"first\":1}}\nnonsense\n{\"opening\":{\"balance\":1,\"first\":1}}\n"), 0o600))
	_, err := sandbox.New(l.deps)
	require.ErrorContains(t, err, "replay journal")
	require.NoError(t, os.Remove(l.journal()))
	l.open()
}

func TestJournal_HasTheTransferBeforeTheReply(t *testing.T) {
	t.Parallel()
	l := newDiskLab(t)
	l.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
	_, err := l.do("POST", "/api/V1/SendTransfer", order("A", nil))
	require.Error(t, err)
	data, err := os.ReadFile(l.journal())
	require.NoError(t, err)
	require.Contains(t, string(data), `"distributorRef":"A"`)
	require.Contains(t, string(data), `"executed":1`)
}

func TestJournal_ResetKeepsConfigurationAndStartsAnew(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	directory := t.TempDir()
	l := newLab(t, func(d *sandbox.Deps) {
		d.Data, d.Now = directory, func() time.Time { return start.Add(time.Duration(later.Load())) }
	})
	l.config(`{"limits":false,"openingBalance":"77.00"}`)
	l.send("A", nil).is(t, 200, 1, "")
	require.Equal(t, 200, l.must("POST", "/_sandbox/reset", "").status)
	require.Empty(t, l.ledger().Entries)
	require.Equal(t, "77.00", l.ledger().Balance)
	require.Empty(t, l.list(""))
	later.Store(int64(time.Minute))
	require.Equal(t, 200, l.must("POST", "/_sandbox/reset", "").status)
	require.Equal(t, "172366460001", l.send("B", nil).TransferRecord.TransferID.TransferRef, "refs are not given out again")
	require.Equal(t, 200, l.must("POST", "/_sandbox/reset", "").status)
	l.restart()
	require.Equal(t, "77.00", l.ledger().Balance)
	var config sandbox.Config
	require.NoError(t, json.Unmarshal(l.must("GET", "/_sandbox/config", "").body, &config))
	require.False(t, config.Limits)
}

func TestJournal_UndeliveredWebhooksAreDeliveredAfterARestart(t *testing.T) {
	t.Parallel()
	l, r := newDiskLab(t), newReceiver(t)
	r.answer(500)
	l.config(`{"limits":false,"webhookUrl":"` + r.URL + `"}`)
	l.deferred("A")
	l.tried(1)
	l.restart()
	r.answer(200)
	l.advance(time.Minute)
	hooks := r.wait(t, 2)
	stamp, sign := signature(t, hooks[1])
	require.True(t, verifies(l.keyOf(hooks[1]), stamp+"."+string(hooks[1].body), sign))
	require.Equal(t, hooks[0].header.Get("X-Service-Webhook-Key-Id"), hooks[1].header.Get("X-Service-Webhook-Key-Id"))
}
