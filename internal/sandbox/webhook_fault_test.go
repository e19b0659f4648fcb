package sandbox_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWebhook_Faults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault string
		check func(t *testing.T, l *lab, r *receiver)
	}{
		"duplicate": {`{"kind":"webhook_duplicate","count":3}`, func(t *testing.T, _ *lab, r *receiver) {
			hooks := r.wait(t, 3)
			require.Equal(t, hooks[0].body, hooks[2].body)
		}},
		"withhold": {`{"kind":"webhook_withhold"}`, func(t *testing.T, l *lab, r *receiver) {
			eventually(t, func() bool { all := l.webhooks(); return len(all) == 1 && all[0].Done })
			require.Equal(t, "withheld", l.webhooks()[0].Tries[0].Note)
			r.wait(t, 0)
		}},
		"late": {`{"kind":"webhook_late","for":"6m"}`, func(t *testing.T, l *lab, r *receiver) {
			stamp, sign := signature(t, r.wait(t, 1)[0])
			require.Equal(t, start.Add(-6*time.Minute).Unix(), mustInt(t, stamp))
			require.True(t, verifies(l.keyOf(r.wait(t, 1)[0]), stamp+"."+string(r.wait(t, 1)[0].body), sign))
		}},
		"forged body": {`{"kind":"webhook_forge"}`, forged(func(t *testing.T, l *lab, hook received) {
			stamp, sign := signature(t, hook)
			require.False(t, verifies(l.keyOf(hook), stamp+"."+string(hook.body), sign))
		})},
		"forged wrong key": {`{"kind":"webhook_forge","mode":"wrong_key"}`, forged(func(t *testing.T, l *lab, hook received) {
			stamp, sign := signature(t, hook)
			require.False(t, verifies(l.keyOf(hook), stamp+"."+string(hook.body), sign))
		})},
		"forged no key": {`{"kind":"webhook_forge","mode":"no_key"}`, forged(func(t *testing.T, l *lab, hook received) {
			require.NotContains(t, string(l.must("GET", "/.well-known/webhook-keys", "").body), hook.header.Get("X-Service-Webhook-Key-Id"))
		})},
		"forged alg": {`{"kind":"webhook_forge","mode":"alg"}`, forged(func(t *testing.T, _ *lab, hook received) {
			require.Equal(t, "none", hook.header.Get("X-Service-Webhook-Algorithm"))
		})},
		"forged aim": {`{"kind":"webhook_forge","mode":"aim"}`, forged(func(t *testing.T, l *lab, hook received) {
			require.NotEqual(t, "corr-A", hook.header.Get("X-Correlation-Id"))
			stamp, sign := signature(t, hook)
			require.True(t, verifies(l.keyOf(hook), stamp+"."+string(hook.body), sign))
		})},
		"forged order": {`{"kind":"webhook_forge","mode":"order"}`, forged(func(t *testing.T, l *lab, hook received) {
			stamp, sign := signature(t, hook)
			require.True(t, verifies(l.keyOf(hook), string(hook.body)+"."+stamp, sign))
		})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, r := newHookLab(t)
			l.fault(`{"match":{"endpoint":"Webhook"},"action":` + c.fault + `}`)
			l.deferred("A")
			c.check(t, l, r)
		})
	}
}

// forged checks the first of two deliveries, the second is a good one.
func forged(check func(*testing.T, *lab, received)) func(*testing.T, *lab, *receiver) {
	return func(t *testing.T, l *lab, r *receiver) {
		t.Helper()
		hooks := r.wait(t, 2)
		check(t, l, hooks[0])
		l.tried(2) // which is written down when the second is answered
		first := l.webhooks()[0].Tries[0]
		require.Equal(t, "forged", first.Note)
		require.NotEmpty(t, first.Mode)
		stamp, sign := signature(t, hooks[1])
		require.True(t, verifies(l.keyOf(hooks[1]), stamp+"."+string(hooks[1].body), sign))
	}
}

func mustInt(t *testing.T, text string) int64 {
	t.Helper()
	n, err := json.Number(text).Int64()
	require.NoError(t, err)
	return n
}

func TestWebhook_OnlyHTTPSExceptOnLoopback(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for address, status := range map[string]int{
		"https://agent.example/hook": 200, "http://127.0.0.1:1/x": 200, "http://localhost:1/": 200, "http://[::1]:1/": 200, "": 200,
		"http://agent.example/hook": 400, "ftp://127.0.0.1/": 400, "nonsense": 400, "http://": 400,
	} {
		body, err := json.Marshal(map[string]string{"webhookUrl": address})
		require.NoError(t, err)
		require.Equal(t, status, l.must("PUT", "/_sandbox/config", string(body)).status, address)
	}
}
