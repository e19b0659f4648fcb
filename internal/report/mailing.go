package report

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/mail"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Mailing is a report sent by mail on a schedule: each morning for the day before, each Monday for the week,
// on the first for the month.
type Mailing struct {
	ID         string
	UserID     string // whose rights it is made with
	Path       string // the report's address; the schedule names the period
	Recipients string // addresses, one per line
	Format     string // csv, xlsx or pdf
	Every      string // day, week or month
	Hour       int    // of the zone's day
	Zone       string
	Language   string
	SlotAt     time.Time // when the next one is due
	NextAt     time.Time // when it is tried next
	Tries      int
	SentAt     *time.Time
	Problem    string // why the last try failed; "": it did not
	MadeAt     time.Time
}

// TableName is read by GORM.
func (Mailing) TableName() string { return "report_mailings" }

const (
	mostMailings   = 50
	mostRecipients = 20
	mailingsAtOnce = 20
	// retryAfter is longer than any mailing takes to make and send, and so also how long a process has it to
	// itself.
	retryAfter = 15 * time.Minute
	mostTries  = 48
	waitTries  = 3 // for an address refused for now, before the others get the report without it
)

// To returns the addresses.
func (m Mailing) To() []string { return strings.Fields(m.Recipients) }

// Period is what the mailing that is due covers: whole days before it.
func (m Mailing) Period() (from, to Day, err error) {
	zone, err := staff.ZoneOf(m.Zone)
	if err != nil {
		return 0, 0, err
	}
	to = DayOf(m.SlotAt, zone)
	switch m.Every {
	case "week":
		return to - 7, to, nil
	case "month":
		return (to - 1).Month(), to.Month(), nil
	}
	return to - 1, to, nil
}

// slotAfter is when the next mailing after a moment is due.
func (m Mailing) slotAfter(at time.Time) (time.Time, error) {
	zone, err := staff.ZoneOf(m.Zone)
	if err != nil {
		return at, err
	}
	for day := DayOf(at, zone); ; day++ {
		if m.Every == "week" && day != day.Week() || m.Every == "month" && day != day.Month() {
			continue
		}
		year, month, date := day.Time().Date()
		slot := time.Date(year, month, date, m.Hour, 0, 0, 0, zone)
		if begins := day.Begins(zone); slot.Before(begins) { // clocks skip midnight: not the evening before
			slot = begins
		}
		if slot.After(at) {
			return store.Moment(slot), nil
		}
	}
}

func (m *Mailing) check() error {
	if !isReport(m.Path) {
		return fault.New(fault.Invalid, "mailing.no-report")
	}
	var to []string
	for _, text := range strings.FieldsFunc(m.Recipients, func(r rune) bool {
		return strings.ContainsRune(",; \t\r\n", r)
	}) {
		parsed, err := netmail.ParseAddress(text)
		if err != nil || parsed.Address != text {
			return fault.OnField("recipients", "mailing.addresses")
		}
		to = append(to, text)
	}
	if len(to) == 0 || len(to) > mostRecipients {
		return fault.OnField("recipients", "mailing.recipients", mostRecipients)
	}
	m.Recipients = strings.Join(to, "\n")
	known := (m.Format == "csv" || m.Format == "xlsx" || m.Format == "pdf") &&
		(m.Every == "day" || m.Every == "week" || m.Every == "month")
	if !known || m.Hour < 0 || m.Hour > 23 {
		return fault.OnField("every", "mailing.schedule")
	}
	return nil
}

// Schedule stores a mailing, sent first when it is next due; one like it that is there already is enough. Faults of
// kind Invalid name the field.
func (s *Service) Schedule(ctx context.Context, by audit.Actor, m Mailing) error {
	if err := m.check(); err != nil {
		return err
	}
	now := store.Moment(s.d.Now())
	slot, err := m.slotAfter(now)
	if err != nil {
		return fmt.Errorf("schedule report: %w", err)
	}
	m.ID, m.MadeAt, m.SlotAt, m.NextAt = store.NewID(now), now, slot, slot
	return fault.Doing("schedule report", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if there, err := m.there(tx); err != nil || there {
			return err
		}
		var n int64
		if err := tx.Model(&Mailing{}).Where("user_id = ?", m.UserID).Count(&n).Error; err != nil {
			return err
		}
		if n >= mostMailings {
			return fault.New(fault.Conflict, "mailing.full", mostMailings)
		}
		return s.d.Audit.WriteIf(ctx, tx, tx.Create(&m), audit.Entry{
			Actor: by, Act: audit.ReportScheduled, Subject: audit.Of(audit.Mailing, m.ID),
			Facts: audit.Facts{
				audit.Word("path", m.Path), audit.Text("recipients", strings.Join(m.To(), ", ")),
				audit.Word("every", m.Every), audit.Word("format", m.Format),
			},
		})
	}))
}

// there says whether the user has a mailing like it: a form may be pressed twice.
func (m *Mailing) there(tx *store.Tx) (bool, error) {
	if err := tx.Lock("mailings of " + m.UserID); err != nil {
		return false, err
	}
	return store.Some(tx.Model(&Mailing{}).Where(
		"user_id = ? AND path = ? AND recipients = ? AND format = ? AND every = ? AND hour = ? AND zone = ? AND "+
			"language = ?",
		m.UserID, m.Path, m.Recipients, m.Format, m.Every, m.Hour, m.Zone, m.Language,
	))
}

// Mailings returns a user's schedule, the oldest first.
func (s *Service) Mailings(ctx context.Context, userID string) ([]Mailing, error) {
	all, err := store.All[Mailing](s.d.DB.Read(ctx).Where("user_id = ?", userID).Order("id"))
	return all, fault.Doing("read scheduled reports", err)
}

// EndMailing ends a user's mailing; ending it again is no error.
func (s *Service) EndMailing(ctx context.Context, by audit.Actor, userID, id string) error {
	return fault.Doing("end scheduled report", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		gone := tx.Delete(&Mailing{}, "id = ? AND user_id = ?", id, userID)
		return s.d.Audit.WriteIf(ctx, tx, gone, audit.Entry{
			Actor: by, Act: audit.ReportUnscheduled, Subject: audit.Of(audit.Mailing, id),
		})
	}))
}

// Deliver sends what is due. A mailing that cannot be made or sent is tried again for half a day; the error
// names no addresses. A mail may arrive twice, if the server took it and its answer was lost.
func (s *Service) Deliver(ctx context.Context) error {
	due, err := store.All[Mailing](
		s.d.DB.Read(ctx).Where("next_at <= ?", store.Moment(s.d.Now())).Order("next_at").Limit(mailingsAtOnce),
	)
	if err != nil {
		return fmt.Errorf("find scheduled reports: %w", err)
	}
	var failed []error
	for _, m := range due {
		mine, err := s.claim(ctx, m)
		if err == nil && mine {
			err = s.deliver(ctx, m)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("send report %s: %w", m.ID, err))
		}
	}
	return errors.Join(failed...)
}

// claim reserves a mailing for this process.
func (s *Service) claim(ctx context.Context, m Mailing) (mine bool, err error) {
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		taken := tx.Model(&Mailing{}).Where("id = ? AND next_at = ?", m.ID, m.NextAt).
			Updates(map[string]any{"next_at": store.Moment(s.d.Now().Add(retryAfter)), "tries": m.Tries + 1})
		mine = taken.RowsAffected == 1
		return taken.Error
	})
	return mine, err
}

func (s *Service) deliver(ctx context.Context, m Mailing) error {
	message, err := s.write(ctx, m)
	if err == nil {
		message.To, message.Wait = m.To(), m.Tries < waitTries
		err = s.d.Mail.Send(ctx, message)
	}
	set := map[string]any{"problem": fault.Note(err)}
	sent := err == nil || errors.Is(err, mail.ErrPartly) // again, it would only reach the others twice
	unseen := fault.KindOf(err) == fault.Forbidden       // by whoever scheduled it: no try changes that
	if now := store.Moment(s.d.Now()); sent || unseen || m.Tries+1 >= mostTries {
		slot, zoneErr := m.slotAfter(now)
		if zoneErr != nil {
			return zoneErr
		}
		set["slot_at"], set["next_at"], set["tries"] = slot, slot, 0
		if sent {
			set["sent_at"] = now
		}
	}
	if unseen {
		err = nil // no work went wrong of which an operator must be told
	}
	// What was sent is stored even where the job's time ended meanwhile: it would be sent again.
	return errors.Join(err, s.d.DB.Tx(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return tx.Model(&Mailing{}).Where("id = ?", m.ID).Updates(set).Error
	}))
}

// Writer makes the message of a due mailing, without its recipients.
type Writer func(ctx context.Context, m Mailing) (mail.Message, error)
