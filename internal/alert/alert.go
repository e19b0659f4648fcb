// Package alert tells people when something needs them: once when it begins, once when it gets worse, once
// when it is over; by mail and by a signed webhook. Other rooms supply the rules.
package alert

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"airtill/internal/audit"
	"airtill/internal/dial"
	"airtill/internal/fault"
	"airtill/internal/mail"
	"airtill/internal/store"
)

// Tier is how urgent an alert is.
type Tier string

// The tiers.
const (
	Fine     Tier = ""         // nothing to tell
	Warning  Tier = "warning"  // somebody should look today
	Critical Tier = "critical" // selling stops, or money is not where it should be
)

// worse says whether a tier is more urgent than another.
func (t Tier) worse(than Tier) bool { return t == Critical && than == Warning }

// The rules of the till, by name.
const (
	FloatLow     = "float_low"     // facts: the sum
	FloatReserve = "float_reserve" // facts: the sum, the shops that have a higher mark
	FloatRunway  = "float_runway"  // facts: until when
	BreakOpen    = "break_open"    // facts: how many, the age of the oldest in days
	VerifyFailed = "verify_failed" // facts: the first invariant that does not hold
	JobFailed    = "job_failed"    // facts: how many, the kind of the last
	WebhookStorm = "webhook_storm" // facts: how many were refused, why
	BreakGlass   = "break_glass"   // facts: the admin, when
	WrongClock   = "wrong_clock"   // facts: by how many minutes
	DamagedFile  = "damaged_file"  // without facts
)

// FactTime is how facts write a time, in UTC.
const FactTime = "2006-01-02 15:04 UTC"

// Rule watches one thing. Look returns how urgent it is and the facts its sentence is filled in with.
type Rule struct {
	Name   string
	Look   func(ctx context.Context) (tier Tier, facts []string, err error)
	Events bool // other facts are another event, told like what got worse; otherwise the same goes on
}

// Deps is what the Service needs.
type Deps struct {
	DB    *store.DB
	Audit *audit.Log
	Rules []Rule
	// Words puts an alert into one sentence, in the language of mails.
	Words func(rule string, tier Tier, facts []string) string
	Mail  *mail.Mailer
	// MailTo are the addresses that get alerts; none: no mail.
	MailTo []string
	// WebhookURL gets them too; "": no webhook. Secret signs what is sent there.
	WebhookURL string
	Secret     string
	Page       string // the address of the page of alerts, for mails
	Now        func() time.Time
	Log        *slog.Logger
	Resolve    dial.Resolve // finds WebhookURL's host; nil: the system's
}

// Service alerts.
type Service struct {
	d      Deps
	client *http.Client
}

// New returns a service.
func New(d Deps) *Service { return &Service{d: d, client: newClient(d.Resolve)} }

// Alert is what somebody must be told of.
type Alert struct {
	ID             string
	Rule           string
	Tier           Tier
	Facts          []string `gorm:"serializer:json"`
	RaisedAt       time.Time
	ClearedAt      *time.Time
	AcknowledgedBy string // user id; "": nobody
	AcknowledgedAt *time.Time
}

// Change is what happened to an alert.
type Change string

// The changes.
const (
	Raised  Change = "raised"
	Worse   Change = "worse"
	Cleared Change = "cleared"
)

// Way is how people are told of a change.
type Way string

// The ways.
const (
	ByMail    Way = "mail"
	ByWebhook Way = "webhook"
)

// Message tells of one change in one way.
type Message struct {
	ID      string
	AlertID string
	Change  Change
	Way     Way
	Body    string // JSON
	MadeAt  time.Time
	Tries   int
	SentAt  *time.Time
	Problem string // of the last try
}

// Told is the alert as a message tells of it, under the message's id.
func (m Message) Told() (told Alert, err error) {
	body, err := m.read()
	return Alert{ID: m.ID, Rule: body.Rule, Tier: body.Tier, Facts: body.Facts, RaisedAt: m.MadeAt}, err
}

func (m Message) read() (body webhook, err error) {
	err = json.Unmarshal([]byte(m.Body), &body)
	return body, fault.Doing("read message", err)
}

// TableName names the table for GORM.
func (Message) TableName() string { return "alert_messages" }
