package alert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Look looks at every rule and queues a message for each change. A rule that fails leaves its alert as it is.
func (s *Service) Look(ctx context.Context) error {
	var problems []error
	for _, rule := range s.d.Rules {
		tier, facts, err := rule.Look(ctx)
		if err == nil {
			err = s.is(ctx, rule, tier, facts)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("alert %s: %w", rule.Name, err))
		}
	}
	return errors.Join(problems...)
}

// is records how a rule stands now. The jobs that tell of a change commit together with it.
func (s *Service) is(ctx context.Context, rule Rule, tier Tier, facts []string) error {
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		open, err := store.First[Alert](tx.Raw(
			"SELECT * FROM alerts WHERE rule = ? AND cleared_at IS NULL"+tx.ForUpdate(), rule.Name,
		))
		if err != nil {
			return err
		}
		now := store.Moment(s.d.Now())
		switch {
		case open == nil && tier == Fine:
			return nil
		case open == nil:
			made := Alert{ID: store.NewID(now), Rule: rule.Name, Tier: tier, Facts: facts, RaisedAt: now}
			if err := tx.Create(&made).Error; err != nil {
				return err
			}
			return s.tell(ctx, tx, made, Raised)
		case tier == Fine:
			a := *open
			if err := tx.Model(&Alert{}).Where("id = ?", a.ID).Update("cleared_at", now).Error; err != nil {
				return err
			}
			return s.tell(ctx, tx, a, Cleared)
		}
		return s.goesOn(ctx, tx, *open, rule.Events, tier, facts)
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) { // another process saw it first
		return nil
	}
	return err
}

// goesOn brings an alert's facts up to date. It tells people again only if things got worse, as by another event, and
// then the alert needs a new acknowledgement.
func (s *Service) goesOn(
	ctx context.Context, tx *store.Tx, a Alert, events bool, tier Tier, facts []string,
) error {
	same := slices.Equal(a.Facts, facts)
	worse := tier.worse(a.Tier) || events && !same
	if a.Tier == tier && same {
		return nil
	}
	a.Tier, a.Facts = tier, facts
	if worse {
		a.AcknowledgedBy, a.AcknowledgedAt = "", nil
	}
	if err := tx.Save(&a).Error; err != nil || !worse {
		return err
	}
	return s.tell(ctx, tx, a, Worse)
}

// webhook is the body of one.
type webhook struct {
	ID     string    `json:"id"`
	Rule   string    `json:"rule"`
	Tier   Tier      `json:"tier"`
	Change Change    `json:"change"`
	Text   string    `json:"text"`
	Facts  []string  `json:"facts"`
	At     time.Time `json:"at"`
	Page   string    `json:"page"`
}

// over begins the text of a message that an alert is over: a chat may show the text alone.
const over = "It is over: "

func (s *Service) tell(ctx context.Context, tx *store.Tx, a Alert, change Change) error {
	now, text := store.Moment(s.d.Now()), s.d.Words(a.Rule, a.Tier, a.Facts)
	if change == Cleared {
		text = over + text
	}
	body, err := json.Marshal(webhook{
		ID: a.ID, Rule: a.Rule, Tier: a.Tier, Change: change, Text: text, Facts: a.Facts, At: now,
		Page: s.d.Page,
	})
	if err != nil {
		return err
	}
	for _, way := range s.ways() {
		m := Message{ID: store.NewID(now), AlertID: a.ID, Change: change, Way: way, Body: string(body), MadeAt: now}
		if err := tx.Create(&m).Error; err != nil {
			return err
		}
		if err := tx.Enqueue(ctx, SendArgs{Message: m.ID}, nil); err != nil {
			return err
		}
	}
	tx.AfterCommit(func() {
		s.d.Log.WarnContext(ctx, "alert."+string(change), "rule", a.Rule, "tier", a.Tier, "alert", a.ID)
	})
	return nil
}

func (s *Service) ways() (all []Way) {
	if len(s.d.MailTo) > 0 && s.d.Mail != nil && s.d.Mail.Configured() {
		all = append(all, ByMail)
	}
	if s.d.WebhookURL != "" {
		all = append(all, ByWebhook)
	}
	return all
}

// Open returns the alerts that are not over, the most urgent first: "critical" sorts before "warning".
func (s *Service) Open(ctx context.Context) ([]Alert, error) {
	all, err := store.All[Alert](s.d.DB.Read(ctx).Where("cleared_at IS NULL").Order("tier, raised_at, id"))
	return all, fault.Doing("open alerts", err)
}

// Shown stands for what somebody who reads an alert has seen: it is another once the alert gets worse, as by another
// event, and the same while only a figure moves.
func (s *Service) Shown(a Alert) string {
	shown := string(a.Tier)
	if slices.ContainsFunc(s.d.Rules, func(r Rule) bool { return r.Name == a.Rule && r.Events }) {
		shown += " " + strings.Join(a.Facts, " ")
	}
	return shown
}

// Acknowledge notes who deals with an alert, in the audit too. It fails with fault.Conflict if the alert is
// over or somebody else already deals with it; who deals with it already may say so again.
func (s *Service) Acknowledge(ctx context.Context, id string, by audit.Actor) error {
	return fault.Doing("acknowledge alert", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		seen, err := store.First[Alert](tx.Raw("UPDATE alerts SET acknowledged_by = ?, acknowledged_at = ? WHERE id "+
			"= ? AND cleared_at IS NULL AND acknowledged_by = '' RETURNING *",
			by.UserID, store.Moment(s.d.Now()), id))
		if err == nil && seen == nil {
			again, err := store.Some(tx.Model(&Alert{}).Where("id = ? AND acknowledged_by = ?", id, by.UserID))
			if err == nil && !again {
				err = fault.New(fault.Conflict, "alert.over")
			}
			return err
		}
		if err != nil {
			return err
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: by, Act: audit.AlertSeen, Subject: audit.Of(audit.Alert, id),
			Facts: audit.Facts{
				audit.Word("rule", strings.Join(append([]string{seen.Rule}, seen.Facts...), "\n")),
				audit.Word("tier", seen.Tier),
			},
		})
	}))
}

// Unsent returns the messages since a time that have not been delivered, or not to every address, the newest first.
func (s *Service) Unsent(ctx context.Context, since time.Time, limit int) ([]Message, error) {
	all, err := store.All[Message](
		s.d.DB.Read(ctx).Where("problem <> '' AND made_at >= ?", since).
			Order("id DESC").Limit(limit),
	)
	return all, fault.Doing("messages not sent", err)
}
