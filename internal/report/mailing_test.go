package report_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/mail"
	"airtill/internal/report"
	"airtill/internal/store"
)

// inbox is a mail server that keeps who was written to.
type inbox struct{ to chan string }

func (i *inbox) NewSession(*smtp.Conn) (smtp.Session, error) { return i, nil }
func (i *inbox) Mail(string, *smtp.MailOptions) error        { return nil }
func (i *inbox) Reset()                                      {}
func (i *inbox) Logout() error                               { return nil }

func (i *inbox) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "left@") {
		return &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
	}
	if strings.HasPrefix(to, "full@") {
		return &smtp.SMTPError{Code: 452, Message: "mailbox full"}
	}
	i.to <- to
	return nil
}

func (i *inbox) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

func startInbox(t *testing.T) (*inbox, string) {
	t.Helper()
	i := &inbox{to: make(chan string, 10)}
	server := smtp.NewServer(i)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return i, "smtp://" + listener.Addr().String() + "?tls=none"
}

func TestMailingsGoOutWhenTheyAreDueAndAreTriedAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 10, Days: 2, Shops: 1, Seed: 1})
		box, address := startInbox(t)
		mailer, err := mail.New(mail.Deps{URL: address, From: "till@example.com", Now: w.clock})
		require.NoError(t, err)
		var broken error
		var periods []string
		s := report.New(report.Deps{DB: db, Now: w.clock, Mail: mailer, Audit: audit.New(audit.Deps{DB: db, Now: w.clock, Log: slog.New(slog.DiscardHandler)})})
		s.WriteWith(func(_ context.Context, m report.Mailing) (mail.Message, error) {
			from, to, err := m.Period()
			require.NoError(t, err)
			periods = append(periods, from.String()+" "+to.String())
			return mail.Message{Subject: "Sales", Text: "Attached."}, broken
		})
		var user string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT MIN(id) FROM users").Scan(&user).Error)
		m := report.Mailing{UserID: user, Path: "/reports/sales?by=shop", Recipients: "a@example.com, b@example.com", Format: "csv", Every: "day", Hour: 7, Zone: "Europe/Lisbon", Language: "en"}
		by := audit.Command("test")
		for _, bad := range []func(*report.Mailing){
			func(m *report.Mailing) { m.Recipients = "" }, func(m *report.Mailing) { m.Recipients = "nobody" }, func(m *report.Mailing) { m.Recipients = "A <a@example.com>" },
			func(m *report.Mailing) { m.Every = "hour" }, func(m *report.Mailing) { m.Hour = 24 }, func(m *report.Mailing) { m.Format = "exe" },
			func(m *report.Mailing) { m.Path = "https://example.com/reports/sales" }, func(m *report.Mailing) { m.Path = "/admin/users" },
		} {
			wrong := m
			bad(&wrong)
			require.Equal(t, fault.Invalid, fault.KindOf(s.Schedule(t.Context(), by, wrong)))
		}
		require.NoError(t, s.Schedule(t.Context(), by, m))
		require.NoError(t, s.Deliver(t.Context()))
		require.Empty(t, periods, "not due yet")

		w.pass(9 * time.Hour) // 07:30 on the 15th
		broken = errors.New("no figures")
		require.ErrorContains(t, s.Deliver(t.Context()), "no figures")
		require.NoError(t, s.Deliver(t.Context()), "not at once")
		broken = nil
		w.pass(16 * time.Minute)
		require.NoError(t, s.Deliver(t.Context()))
		require.Equal(t, "a@example.com", <-box.to)
		require.Equal(t, "b@example.com", <-box.to)
		require.NoError(t, s.Deliver(t.Context()))
		require.Equal(t, []string{"2026-03-14 2026-03-15", "2026-03-14 2026-03-15"}, periods)
		all, err := s.Mailings(t.Context(), user)
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.Equal(t, time.Date(2026, 3, 16, 7, 0, 0, 0, time.UTC), all[0].NextAt.UTC())
		require.NotNil(t, all[0].SentAt)
		require.NoError(t, s.EndMailing(t.Context(), by, "another", all[0].ID))
		require.NoError(t, s.EndMailing(t.Context(), by, user, all[0].ID))
		w.pass(48 * time.Hour)
		require.NoError(t, s.Deliver(t.Context()))
		require.Len(t, periods, 2)
	})
}

func TestPeriodsOfMailings(t *testing.T) {
	t.Parallel()
	for every, want := range map[string]string{"day": "2026-02-28 2026-03-01", "week": "2026-02-22 2026-03-01", "month": "2026-02-01 2026-03-01"} {
		m := report.Mailing{Every: every, Zone: "Pacific/Auckland", SlotAt: time.Date(2026, 2, 28, 18, 0, 0, 0, time.UTC)}
		from, to, err := m.Period()
		require.NoError(t, err)
		require.Equal(t, want, from.String()+" "+to.String())
	}
}

// mailed is a service with a schedule of one report of anna's, due at seven, and how often it was written.
func (w *world) mailed() (s *report.Service, m report.Mailing) {
	w.t.Helper()
	s = report.New(report.Deps{DB: w.db, Now: w.clock, Audit: audit.New(audit.Deps{DB: w.db, Now: w.clock, Log: slog.New(slog.DiscardHandler)})})
	m = report.Mailing{
		UserID: w.people()[0], Path: "/reports/sales", Recipients: "a@example.com", Format: "csv", Every: "day", Hour: 7, Zone: "UTC", Language: "en",
	}
	return s, m
}

// due is a service with a mail server, and a report of a user that is due for some people.
func (w *world) due(recipients string) (s *report.Service, box *inbox, user string) {
	w.t.Helper()
	box, address := startInbox(w.t)
	mailer, err := mail.New(mail.Deps{URL: address, From: "till@example.com", Now: w.clock})
	require.NoError(w.t, err)
	s = report.New(report.Deps{
		DB: w.db, Now: w.clock, Mail: mailer, Audit: audit.New(audit.Deps{DB: w.db, Now: w.clock, Log: slog.New(slog.DiscardHandler)}),
	})
	s.WriteWith(func(context.Context, report.Mailing) (mail.Message, error) {
		return mail.Message{Subject: "Sales", Text: "Attached."}, nil
	})
	user = w.people()[0]
	require.NoError(w.t, s.Schedule(w.t.Context(), audit.Command("test"), report.Mailing{
		UserID: user, Path: "/reports/sales?by=shop", Recipients: recipients, Format: "csv", Every: "day", Hour: 7, Zone: "UTC", Language: "en",
	}))
	w.pass(9 * time.Hour)
	return s, box, user
}

// What is scheduled must have somebody to go to, each once in a line of their own; a user has so many and no more.
func TestASchedulesRecipientsAndBounds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 2, Days: 1, Shops: 1, Seed: 1})
		anna, boris := w.people()[0], w.people()[1]
		s, m := w.mailed()
		by := audit.Command("test")
		many := strings.Repeat("a@example.com ", 20)
		for recipients, want := range map[string]string{
			"a@example.com;b@example.com,\n\tc@example.com ": "", many: "", many + "b@example.com": "recipients mailing.recipients",
			" ,; ": "recipients mailing.recipients", "a@": "recipients mailing.addresses", "<a@example.com>": "recipients mailing.addresses",
		} {
			m.Recipients = recipients
			require.Equal(t, want, told(s.Schedule(t.Context(), by, m)), "%q", recipients)
		}
		all, err := s.Mailings(t.Context(), anna)
		require.NoError(t, err)
		require.Len(t, all, 2)
		var sizes []int
		for _, one := range all {
			sizes = append(sizes, len(one.To()))
			require.Equal(t, strings.Join(one.To(), "\n"), one.Recipients)
		}
		require.ElementsMatch(t, []int{3, 20}, sizes)

		m.Recipients = "a@example.com"
		for n := range 48 {
			m.Path = "/reports/sales?all=" + strconv.Itoa(n)
			require.NoError(t, s.Schedule(t.Context(), by, m))
		}
		require.NoError(t, s.Schedule(t.Context(), by, m), "this one is there")
		m.Path = "/reports/sales"
		require.Equal(t, " mailing.full", told(s.Schedule(t.Context(), by, m)))
		m.UserID = boris
		require.NoError(t, s.Schedule(t.Context(), by, m), "that is anna's bound")
		require.NoError(t, s.EndMailing(t.Context(), by, boris, all[0].ID))
		records, err := s.Uses().Audit.List(t.Context(), audit.Filter{Act: audit.ReportUnscheduled})
		require.NoError(t, err)
		require.Empty(t, records, "nothing of boris' ended")
		for range 2 {
			require.NoError(t, s.EndMailing(t.Context(), by, anna, all[0].ID))
		}
		records, err = s.Uses().Audit.List(t.Context(), audit.Filter{Act: audit.ReportUnscheduled})
		require.NoError(t, err)
		require.Len(t, records, 1)
	})
}

// A form that is pressed twice, in two processes at once, schedules a report once: nobody wants two mails each morning.
func TestTheSameScheduleIsOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 2, Days: 1, Shops: 1, Seed: 1})
		one, m := w.mailed()
		two, _ := w.mailed()
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if err := []*report.Service{one, two}[i%2].Schedule(t.Context(), audit.Command("test"), m); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		mailings, err := one.Mailings(t.Context(), m.UserID)
		require.NoError(t, err)
		require.Len(t, mailings, 1)
		records, err := one.Uses().Audit.List(t.Context(), audit.Filter{Act: audit.ReportScheduled})
		require.NoError(t, err)
		require.Len(t, records, 1)
		for _, change := range []func(*report.Mailing){
			func(m *report.Mailing) { m.Hour = 0 }, func(m *report.Mailing) { m.Every = "week" },
			func(m *report.Mailing) { m.Format = "pdf" }, func(m *report.Mailing) { m.Recipients = "b@example.com" },
			func(m *report.Mailing) { m.Every = "month" }, func(m *report.Mailing) { m.Language = "ar" },
			func(m *report.Mailing) { m.Zone = "Asia/Tokyo" }, func(m *report.Mailing) { m.UserID = w.people()[1] },
		} {
			other := m
			change(&other)
			require.NoError(t, one.Schedule(t.Context(), audit.Command("test"), other))
		}
		mailings, err = one.Mailings(t.Context(), m.UserID)
		require.NoError(t, err)
		require.Len(t, mailings, 8)
		first := map[string]string{}
		for _, m := range mailings {
			first[m.Every] = m.NextAt.UTC().Format("2 January 15:04")
		}
		delete(first, "day")
		require.Equal(t, map[string]string{"week": "16 March 07:00", "month": "1 April 07:00"}, first)
		mailings, err = one.Mailings(t.Context(), w.people()[1])
		require.NoError(t, err)
		require.Len(t, mailings, 1, "another's is theirs")
		m.Hour = -1
		require.Equal(t, "every mailing.schedule", told(one.Schedule(t.Context(), audit.Command("test"), m)))
	})
}

// A report that cannot be made is tried for half a day, tells why, and then waits for its next time.
func TestAReportThatCannotBeMadeIsGivenUpAfterHalfADay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 2, Days: 1, Shops: 1, Seed: 1})
		anna := w.people()[0]
		s, m := w.mailed()
		tried := 0
		s.WriteWith(func(context.Context, report.Mailing) (mail.Message, error) {
			tried++
			return mail.Message{}, fault.New(fault.Unavailable, "database.away")
		})
		require.NoError(t, s.Schedule(t.Context(), audit.Command("test"), m))
		w.now = time.Date(2026, 3, 15, 7, 0, 0, 0, time.UTC)
		for range 60 {
			if err := s.Deliver(t.Context()); err != nil {
				require.NotContains(t, err.Error(), "a@example.com")
			}
			w.pass(15 * time.Minute)
		}
		require.Equal(t, 48, tried)
		all, err := s.Mailings(t.Context(), anna)
		require.NoError(t, err)
		require.Equal(t, "database.away", all[0].Problem)
		require.Zero(t, all[0].Tries)
		require.Nil(t, all[0].SentAt)
		require.Equal(t, time.Date(2026, 3, 16, 7, 0, 0, 0, time.UTC), all[0].SlotAt.UTC(), "what was missed is not made up for")
	})
}

// Two processes that find the same report due at once send it once.
func TestTwoProcessesSendAReportOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 2, Days: 1, Shops: 1, Seed: 1})
		box, address := startInbox(t)
		mailer, err := mail.New(mail.Deps{URL: address, From: "till@example.com", Now: w.clock})
		require.NoError(t, err)
		s, m := w.mailed()
		require.NoError(t, s.Schedule(t.Context(), audit.Command("test"), m))
		w.pass(24 * time.Hour)
		var all sync.WaitGroup
		for range 4 {
			process := report.New(report.Deps{DB: db, Now: w.clock, Mail: mailer})
			process.WriteWith(func(context.Context, report.Mailing) (mail.Message, error) {
				return mail.Message{Subject: "Sales", Text: "Attached."}, nil
			})
			all.Go(func() {
				if err := process.Deliver(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Len(t, box.to, 1)
	})
}

// Who left stops nobody else's report, and nobody gets it again and again.
func TestAReportReachesWhoIsStillThere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 10, Days: 2, Shops: 1, Seed: 1})
		s, box, user := w.due("left@example.com, b@example.com")
		require.ErrorIs(t, s.Deliver(t.Context()), mail.ErrPartly)
		all, err := s.Mailings(t.Context(), user)
		require.NoError(t, err)
		require.NotNil(t, all[0].SentAt)
		require.Equal(t, "mail.partly", all[0].Problem)
		require.Equal(t, time.Date(2026, 3, 16, 7, 0, 0, 0, time.UTC), all[0].NextAt.UTC(), "tomorrow")
		require.Equal(t, "b@example.com", <-box.to) // with the refused one
		require.Equal(t, "b@example.com", <-box.to) // alone
	})
}

// A mailbox that is full keeps a report from nobody else: it is waited for a while.
func TestAMailboxThatIsFullKeepsAReportFromNobodyElse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 10, Days: 2, Shops: 1, Seed: 1})
		s, box, user := w.due("full@example.com, b@example.com")
		for range 3 {
			err := s.Deliver(t.Context())
			require.Error(t, err)
			require.NotErrorIs(t, err, mail.ErrPartly)
			require.Equal(t, "b@example.com", <-box.to) // with the refused one, and so without the report
			w.pass(20 * time.Minute)
		}
		require.ErrorIs(t, s.Deliver(t.Context()), mail.ErrPartly)
		require.Equal(t, "b@example.com", <-box.to) // with the refused one
		require.Equal(t, "b@example.com", <-box.to) // alone
		all, err := s.Mailings(t.Context(), user)
		require.NoError(t, err)
		require.NotNil(t, all[0].SentAt)
		require.Equal(t, "mail.partly", all[0].Problem)
	})
}

// What became of a mailing is stored even where its job was stopped meanwhile.
func TestWhatBecameOfAMailingOutlivesItsJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Open(t, storetest.URL(t, store.SQLite)), demodata.Plan{Sales: 2, Days: 1, Shops: 1, Seed: 1})
	s, m := w.mailed()
	require.NoError(t, s.Schedule(t.Context(), audit.Command("test"), m))
	w.pass(24 * time.Hour)
	ctx, stop := context.WithCancel(t.Context())
	s.WriteWith(func(context.Context, report.Mailing) (mail.Message, error) {
		stop()
		return mail.Message{}, fault.New(fault.NotFound, "shop.none")
	})
	require.Equal(t, fault.NotFound, fault.KindOf(s.Deliver(ctx)))
	all, err := s.Mailings(t.Context(), m.UserID)
	require.NoError(t, err)
	require.Equal(t, "shop.none", all[0].Problem)
}

// TestAReportOfWhoMayNotSeeItWaits: whoever scheduled it has left, or works elsewhere. That is no work gone wrong, of
// which somebody is told each day who can do nothing about it.
func TestAReportOfWhoMayNotSeeItWaits(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 2, Days: 1, Shops: 1, Seed: 1})
		s, box, user := w.due("a@example.com")
		asked, gone := 0, fault.New(fault.Forbidden, "mailing.not-allowed")
		s.WriteWith(func(context.Context, report.Mailing) (mail.Message, error) { asked++; return mail.Message{}, gone })
		for range 3 {
			require.NoError(t, s.Deliver(t.Context()))
			w.pass(time.Hour)
		}
		require.Equal(t, 1, asked, "not again that day")
		all, err := s.Mailings(t.Context(), user)
		require.NoError(t, err)
		require.Equal(t, "mailing.not-allowed", all[0].Problem)
		require.Nil(t, all[0].SentAt)

		w.pass(24 * time.Hour) // they are back
		s.WriteWith(func(context.Context, report.Mailing) (mail.Message, error) {
			return mail.Message{Subject: "Sales", Text: "Attached."}, nil
		})
		require.NoError(t, s.Deliver(t.Context()))
		require.Equal(t, "a@example.com", <-box.to)
	})
}
