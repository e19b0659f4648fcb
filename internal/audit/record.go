package audit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Record is an entry in the chain.
type Record struct {
	Seq      int64 // 1, 2, 3 …
	At       time.Time
	UserID   string
	Actor    string // username or command
	Role     string
	ShopID   string
	TillID   string
	Act      Act `gorm:"column:action"`
	Subject  Subject
	Reason   string
	Before   string `gorm:"column:before_json"` // JSON of an entry of before facts, "" for nothing
	After    string `gorm:"column:after_json"`  // JSON: see Facts, "" for nothing
	Previous string // Hash of the record before
	Hash     string // SHA-256 over all of the above, in hexadecimal
	MAC      string `gorm:"column:mac"` // "<key id>:<HMAC of Hash>", "" if it is not signed
}

// TableName is read by GORM.
func (Record) TableName() string { return "audit_entries" }

// fields are what the hash covers, in an order that never changes.
func (r Record) fields() []string {
	return []string{
		strconv.FormatInt(r.Seq, 10), r.At.UTC().Format(time.RFC3339Nano), r.UserID, r.Actor, r.Role, r.ShopID,
		r.TillID, string(r.Act), string(r.Subject), r.Reason, r.Before, r.After, r.Previous,
	}
}

// digest writes each field's length before it, so that text cannot move from one field to the next without
// changing the hash.
func (r Record) digest() string {
	hash := sha256.New()
	for _, field := range r.fields() {
		_, _ = io.WriteString(hash, strconv.Itoa(len(field))+":"+field) // a hash never fails
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Filter selects records; zero fields select all.
type Filter struct {
	UserID    string
	Act       Act
	Subject   Subject
	From, To  time.Time // half-open: From ≤ at < To
	BeforeSeq int64     // the next page: only records older than this
	Limit     int       // 0 means 100, -1 all
}

const pageSize = 100

// List returns records, newest first.
func (l *Log) List(ctx context.Context, f Filter) ([]Record, error) {
	records, err := store.All[Record](f.apply(l.d.DB.Read(ctx)))
	return records, fault.Doing("list audit entries", err)
}

// subjectsAtOnce is how many subjects one statement asks for.
const subjectsAtOnce = 500

// Of returns all records of an act on some subjects; those of one subject newest first.
func (l *Log) Of(ctx context.Context, act Act, subjects []Subject) ([]Record, error) {
	var found []Record
	for some := range slices.Chunk(subjects, subjectsAtOnce) {
		records, err := store.All[Record](
			l.d.DB.Read(ctx).Where("subject IN ? AND "+ofSubject, some, act).Order("seq DESC"),
		)
		if err != nil {
			return nil, fmt.Errorf("read audit entries of subjects: %w", err)
		}
		found = append(found, records...)
	}
	return found, nil
}

// ofSubject is the condition of an act beside that of a subject, whose entries are few: no index may serve it, or a
// planner without figures reads all that was ever done so.
const ofSubject = "action || '' = ?"

func (f Filter) apply(session *gorm.DB) *gorm.DB {
	query := session.Order("seq DESC").Limit(cmp.Or(f.Limit, pageSize))
	if f.Subject != "" {
		query = query.Where("subject = ?", f.Subject)
		if f.Act != "" {
			query = query.Where(ofSubject, f.Act)
		}
		if f.UserID != "" {
			query = query.Where("user_id || '' = ?", f.UserID) // likewise
		}
	} else {
		query = query.Where(&Record{UserID: f.UserID, Act: f.Act})
	}
	if !f.From.IsZero() {
		query = query.Where("at >= ?", store.Moment(f.From))
	}
	if !f.To.IsZero() {
		query = query.Where("at < ?", store.Moment(f.To))
	}
	if f.BeforeSeq > 0 {
		query = query.Where("seq < ?", f.BeforeSeq)
	}
	return query
}

type recordsOf struct {
	Subject Subject
	Act     Act
}

// Asks is the question for the records of an act on a subject, the newest first.
func (l *Log) Asks(subject Subject, act Act, into *[]Record) store.Asked {
	return store.AskingRows(recordsOf{subject, act}, into, "FROM audit_entries WHERE subject = ? AND "+ofSubject+
		" ORDER BY seq DESC LIMIT "+strconv.Itoa(pageSize), subject, act)
}
