package alert_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/mail"
	"airtill/internal/store"
)

// world is one rule, and those who are told.
type world struct {
	*alert.Service
	deps    alert.Deps
	t       *testing.T
	db      *store.DB
	chain   *audit.Log
	tier    alert.Tier
	facts   []string
	broken  error
	now     time.Time
	mails   chan string
	refuse  bool
	mu      sync.Mutex
	hooks   []*http.Request
	bodies  []string
	service *httptest.Server
}

const secret = "0123456789abcdef"

func newWorld(t *testing.T, db *store.DB) *world {
	t.Helper()
	w := &world{t: t, db: db, now: time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC), mails: make(chan string, 10)}
	w.service = httptest.NewServer(http.HandlerFunc(w.hear))
	t.Cleanup(w.service.Close)
	clock := func() time.Time { return w.now }
	mailer, err := mail.New(mail.Deps{URL: w.post(), From: "till@example.com", Now: clock})
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	w.chain = audit.New(audit.Deps{DB: db, Now: clock, Log: log})
	w.deps = alert.Deps{
		DB: db, Audit: w.chain, Mail: mailer, MailTo: []string{"owner@example.com"}, WebhookURL: w.service.URL + "/?token=hush", Secret: secret, Page: "https://till.example.com/today",
		Now: clock, Log: log,
		Rules: []alert.Rule{{Name: "float", Look: func(context.Context) (alert.Tier, []string, error) { return w.tier, w.facts, w.broken }}},
		Words: func(rule string, tier alert.Tier, facts []string) string {
			return rule + " " + string(tier) + " " + strings.Join(facts, " ")
		},
	}
	w.Service = alert.New(w.deps)
	return w
}

// hear is the receiver of webhooks.
func (w *world) hear(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil || w.refuse {
		rw.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.hooks, w.bodies = append(w.hooks, r), append(w.bodies, string(body))
}

// post is a mail server on this machine; it returns its address.
func (w *world) post() string {
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{w.mails}, nil }))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	w.t.Cleanup(func() { _, _ = server.Close(), listener.Close(); <-done }) // the listener too: Serve may not know it yet
	return "smtp://" + listener.Addr().String() + "?tls=none"
}

type session struct{ mails chan string }

func (*session) Reset()                               {}
func (*session) Logout() error                        { return nil }
func (*session) Mail(string, *smtp.MailOptions) error { return nil }
func (*session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "left@") {
		return &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
	}
	if strings.HasPrefix(to, "full@") {
		return &smtp.SMTPError{Code: 452, Message: "mailbox full"}
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	body, err := io.ReadAll(r)
	s.mails <- string(body)
	return err
}

// is lets the rule say something, and looks.
func (w *world) is(tier alert.Tier, facts ...string) {
	w.t.Helper()
	w.tier, w.facts, w.now = tier, facts, w.now.Add(time.Minute)
	require.NoError(w.t, w.Look(w.t.Context()))
}

// work does what the queued jobs would, and returns what each message said.
func (w *world) work() (errs []error) {
	w.t.Helper()
	var ids []string
	require.NoError(w.t, w.db.Read(w.t.Context()).Raw("SELECT id FROM alert_messages WHERE sent_at IS NULL ORDER BY id").Scan(&ids).Error)
	for _, id := range ids {
		errs = append(errs, w.Send(w.t.Context(), id))
	}
	return errs
}

func (w *world) count(table string) (n int64) {
	require.NoError(w.t, w.db.Read(w.t.Context()).Table(table).Count(&n).Error)
	return n
}

func inWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(newWorld(t, db)) })
}

func TestEachChangeIsToldOnce(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		t := w.t
		w.is(alert.Fine)
		require.Zero(t, w.count("alerts"))
		for range 3 {
			w.is(alert.Warning, "80.00 EUR")
		}
		w.is(alert.Warning, "70.00 EUR")
		require.EqualValues(t, 2, w.count("alert_messages"), "one mail and one webhook, not one a minute")
		require.EqualValues(t, 2, w.count("river_job"))
		w.is(alert.Critical, "0.00 EUR")
		w.is(alert.Warning, "20.00 EUR")
		require.EqualValues(t, 4, w.count("alert_messages"), "better is not told until it is over")
		w.is(alert.Fine)
		require.EqualValues(t, 6, w.count("alert_messages"))
		for _, err := range w.work() {
			require.NoError(t, err)
		}
		require.Empty(t, w.work(), "nothing is sent twice")
		require.Len(t, w.hooks, 3)
		require.Len(t, w.mails, 3)
		first := <-w.mails
		require.Contains(t, first, "Subject: airtill warning: float warning 80.00 EUR")
		require.Contains(t, first, "https://till.example.com/today")
		require.Contains(t, <-w.mails, "Subject: airtill worse: float critical 0.00 EUR")
		over := <-w.mails
		require.Contains(t, over, "Subject: airtill over: float warning 20.00 EUR")
		require.Contains(t, over, "\r\nIt is over: float warning 20.00 EUR\r\n", "and whoever reads on sees the same")
		require.Contains(t, w.bodies[2], `"text":"It is over: float warning 20.00 EUR"`, "which is all that a chat shows")
		require.Contains(t, w.bodies[1], `"text":"float critical 0.00 EUR"`)
		open, err := w.Open(t.Context())
		require.NoError(t, err)
		require.Empty(t, open)
	})
}

func TestWebhookIsSigned(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		w.is(alert.Warning, "x")
		for _, err := range w.work() {
			require.NoError(w.t, err)
		}
		timestamp := w.hooks[0].Header.Get(alert.TimestampHeader)
		require.Equal(w.t, "1774958460", timestamp)
		require.Equal(w.t, alert.Signature(secret, timestamp, []byte(w.bodies[0])), w.hooks[0].Header.Get(alert.SignatureHeader))
		require.NotEqual(w.t, alert.Signature("another", timestamp, []byte(w.bodies[0])), w.hooks[0].Header.Get(alert.SignatureHeader))
		var said map[string]any
		require.NoError(w.t, json.Unmarshal([]byte(w.bodies[0]), &said))
		require.Equal(w.t, "float", said["rule"])
		require.Equal(w.t, "raised", said["change"])
	})
}

// TestSignature holds the bytes that receivers rely on; computed by
// printf '1774958460.{}' | openssl dgst -sha256 -hmac 0123456789abcdef.
func TestSignature(t *testing.T) {
	t.Parallel()
	require.Equal(t, "v1=7f3c8390b4c5a5b812744df507e43a1d5341258ca8f0b99459c27dcf2061d4b1", alert.Signature(secret, "1774958460", []byte("{}")))
}

func TestWhatCannotBeDeliveredIsKept(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		t := w.t
		w.refuse = true
		w.is(alert.Critical, "x")
		require.Error(t, errors.Join(w.work()...))
		unsent, err := w.Unsent(t.Context(), w.now.Add(-time.Hour), 10)
		require.NoError(t, err)
		require.Len(t, unsent, 1, "the mail went out")
		require.Equal(t, alert.ByWebhook, unsent[0].Way)
		require.Equal(t, 1, unsent[0].Tries)
		require.Equal(t, "alert.refused", unsent[0].Problem)
		w.mu.Lock()
		w.refuse = false
		w.mu.Unlock()
		old, err := w.Unsent(t.Context(), w.now.Add(time.Second), 10)
		require.NoError(t, err)
		require.Empty(t, old)
		require.NoError(t, errors.Join(w.work()...))
		unsent, err = w.Unsent(t.Context(), w.now.Add(-time.Hour), 10)
		require.NoError(t, err)
		require.Empty(t, unsent)
		require.Len(t, w.mails, 1, "what was delivered is not sent again")

		w.service.Close()
		w.is(alert.Fine)
		err = errors.Join(w.work()...)
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.NotContains(t, err.Error(), "hush", "an address may have a token in it")
	})
}

// TestWhatALaterMessageHasOvertakenIsNotSent: a message that failed is tried again hours later, and the one that the
// alert is over may long be there. Whoever got them in that order would believe that it had begun anew, and a machine
// would never hear of its end.
func TestWhatALaterMessageHasOvertakenIsNotSent(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		t := w.t
		w.refuse = true
		w.is(alert.Critical, "x")
		require.Error(t, errors.Join(w.work()...))
		w.mu.Lock()
		w.refuse = false
		w.mu.Unlock()
		w.is(alert.Fine)
		var over, all []string
		messages := w.db.Read(t.Context()).Table("alert_messages").Where("way = ?", alert.ByWebhook)
		require.NoError(t, messages.Order("id").Pluck("id", &all).Error)
		require.Len(t, all, 2)
		over, all = all[1:], all[:1]
		require.NoError(t, w.Send(t.Context(), over[0]))
		require.NoError(t, w.Send(t.Context(), all[0]), "its job is done")
		require.Len(t, w.bodies, 1)
		require.Contains(t, w.bodies[0], `"change":"cleared"`)
		unsent, err := w.Unsent(t.Context(), w.now.Add(-time.Hour), 10)
		require.NoError(t, err)
		require.Empty(t, unsent, "nobody waits for it")
		w.is(alert.Critical, "y")
		require.NoError(t, errors.Join(w.work()...), "another alert is told of")
		require.Contains(t, w.bodies[len(w.bodies)-1], `"change":"raised"`)
	})
}

func TestAcknowledged(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		t := w.t
		w.is(alert.Warning, "x")
		open, err := w.Open(t.Context())
		require.NoError(t, err)
		require.NoError(t, w.Acknowledge(t.Context(), open[0].ID, audit.Actor{UserID: "manager", Role: "manager"}))
		require.Equal(t, fault.Conflict, fault.KindOf(w.Acknowledge(t.Context(), open[0].ID, audit.Actor{UserID: "another"})))
		require.NoError(t, w.Acknowledge(t.Context(), open[0].ID, audit.Actor{UserID: "manager"}), "pressed again")
		acts, err := w.chain.List(t.Context(), audit.Filter{Limit: 5})
		require.NoError(t, err)
		require.Len(t, acts, 1)
		require.Equal(t, audit.AlertSeen, acts[0].Act)
		require.Equal(t, "manager", acts[0].UserID)
		facts, err := acts[0].Facts()
		require.NoError(t, err)
		require.Equal(t, audit.Facts{audit.Word("rule", "float\nx"), audit.Word("tier", alert.Warning)}, facts)
		w.is(alert.Warning, "y")
		open, err = w.Open(t.Context())
		require.NoError(t, err)
		require.Equal(t, "manager", open[0].AcknowledgedBy)
		require.Equal(t, []string{"y"}, open[0].Facts)
		w.is(alert.Critical, "z")
		open, err = w.Open(t.Context())
		require.NoError(t, err)
		require.Empty(t, open[0].AcknowledgedBy, "nobody has seen that it got worse")
	})
}

// TestOneEventIsNotSeenForAnother: where other facts are another event, it is told of, and somebody has to see that one.
func TestOneEventIsNotSeenForAnother(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		t := w.t
		w.deps.Rules[0].Events = true
		w.is(alert.Warning, "x")
		open, err := w.Open(t.Context())
		require.NoError(t, err)
		require.NoError(t, w.Acknowledge(t.Context(), open[0].ID, audit.Actor{UserID: "manager", Role: "manager"}))
		w.is(alert.Warning, "x")
		require.EqualValues(t, 2, w.count("alert_messages"), "the same one")
		w.is(alert.Warning, "y")
		require.EqualValues(t, 4, w.count("alert_messages"))
		open, err = w.Open(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"y"}, open[0].Facts)
		require.Empty(t, open[0].AcknowledgedBy, "nobody has seen this one")
	})
}

func TestRuleThatCannotBeLookedAtChangesNothing(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		w.is(alert.Warning, "x")
		w.broken = errors.New("the database is away")
		w.tier = alert.Fine
		require.ErrorContains(w.t, w.Look(w.t.Context()), "alert float")
		open, err := w.Open(w.t.Context())
		require.NoError(w.t, err)
		require.Len(w.t, open, 1)
	})
}

// Who left stops nobody else's mail: it goes out once, and the page says that an address was refused.
func TestAnAddressThatIsNoMoreIsToldOf(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		t := w.t
		w.deps.MailTo, w.deps.WebhookURL = []string{"left@example.com", "owner@example.com"}, ""
		w.Service = alert.New(w.deps)
		w.is(alert.Warning, "50")
		require.NoError(t, errors.Join(w.work()...))
		require.Contains(t, <-w.mails, "float warning 50")
		require.Empty(t, w.work(), "it is not sent again")
		unsent, err := w.Unsent(t.Context(), w.now.Add(-time.Hour), 10)
		require.NoError(t, err)
		require.Len(t, unsent, 1)
		require.Equal(t, "mail.partly", unsent[0].Problem)
	})
}

// A mailbox that is full, for weeks perhaps, keeps an alert from nobody else: some minutes are waited for it.
func TestAMailboxThatIsFullKeepsAnAlertFromNobodyElse(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		t := w.t
		w.deps.MailTo, w.deps.WebhookURL = []string{"full@example.com", "owner@example.com"}, ""
		w.Service = alert.New(w.deps)
		w.is(alert.Critical, "0.00 EUR")
		for range 5 {
			require.Error(t, errors.Join(w.work()...), "a server may put off whom it does not know yet")
		}
		require.Empty(t, w.mails)
		require.NoError(t, errors.Join(w.work()...))
		require.Contains(t, <-w.mails, "float critical 0.00 EUR")
		require.Empty(t, w.work(), "it is not sent again")
		unsent, err := w.Unsent(t.Context(), w.now.Add(-time.Hour), 10)
		require.NoError(t, err)
		require.Equal(t, "mail.partly", unsent[0].Problem)
	})
}

// TestAProcessThatKnowsNobodyLeavesTheMessageToOthers: while settings are rolled out, a process that still lacks the
// addresses may be the first to take the job.
func TestAProcessThatKnowsNobodyLeavesTheMessageToOthers(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		t := w.t
		w.is(alert.Critical, "x")
		knows, deps := w.Service, w.deps
		deps.MailTo, deps.WebhookURL = nil, ""
		w.Service = alert.New(deps)
		errs := w.work()
		require.Len(t, errs, 2)
		for _, err := range errs {
			require.Equal(t, "alert.nobody", fault.CodeOf(err), "the job is done again, by whoever is free")
		}
		w.Service = knows
		require.NoError(t, errors.Join(w.work()...))
		require.Contains(t, <-w.mails, "float critical x")
		unsent, err := w.Unsent(t.Context(), w.now.Add(-time.Hour), 10)
		require.NoError(t, err)
		require.Empty(t, unsent)
	})
}

// Who is taken out of the settings is waited for no longer: the page says why it was not sent, and no job fails for days.
func TestAWayThatIsNoLongerInTheSettingsIsGivenUp(t *testing.T) {
	t.Parallel()
	inWorld(t, func(w *world) {
		t := w.t
		w.is(alert.Critical, "x")
		w.deps.MailTo, w.deps.WebhookURL = nil, ""
		w.Service = alert.New(w.deps)
		w.now = w.now.Add(2 * time.Hour)
		require.NoError(t, errors.Join(w.work()...))
		require.Empty(t, w.mails)
		unsent, err := w.Unsent(t.Context(), w.now.Add(-3*time.Hour), 10)
		require.NoError(t, err)
		require.Len(t, unsent, 2)
		for _, m := range unsent {
			require.Nil(t, m.SentAt)
			require.Equal(t, "alert.nobody", m.Problem)
		}
	})
}

func TestAWebhookIsCheckedWithoutAPost(t *testing.T) {
	t.Parallel()
	posted := false
	hear := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posted = true })
	server, unknown := httptest.NewServer(hear), httptest.NewTLSServer(hear)
	defer unknown.Close()
	require.NoError(t, alert.CheckWebhook(t.Context(), server.URL+"/?token=hush"))
	server.Close()
	for address, why := range map[string]string{
		server.URL: "refused", unknown.URL: "certificate", "http://169.254.169.254": "may not call",
	} {
		err := alert.CheckWebhook(t.Context(), address+"/?token=hush")
		require.ErrorContains(t, err, why)
		require.ErrorContains(t, err, "ALERT_WEBHOOK_URL must name")
		require.NotContains(t, err.Error(), "hush")
	}
	require.False(t, posted)
}
