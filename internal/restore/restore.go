// Package restore notices when the database is older than what was sold with it, as after a restore from
// backup, and makes it safe to sell with again: with a new installation code, and without ever sending what
// was recorded before (SALE.md, L2 and K16).
//
// Two witnesses stand outside the database: marks of how far it had come, and the upstream's own list, which
// shows transfers sent under our code that the database does not know.
package restore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// Deps is what a Service needs.
type Deps struct {
	DB       *store.DB
	Client   *apiclient.Client
	Sales    *sales.Service
	Audit    *audit.Log
	Marks    []Mark    // none: the upstream's list is the only witness
	Presence *Presence // nil: nobody shares marks
	Log      *slog.Logger
	Now      func() time.Time
}

// Service checks and repairs.
type Service struct {
	d    Deps
	told atomic.Bool // that the audit trail has lost its end
}

// New returns a service.
func New(d Deps) *Service { return &Service{d: d} }

// ErrOlder says that the database is older than what was sold with it.
var ErrOlder = fault.New(fault.Conflict, "restore.stopped")

// position is where the database stands.
type position struct {
	codes  []string // of the installation, the latest first
	height Height
}

// name is the first code, "" where nothing was ever sold.
func (p position) name() string {
	if len(p.codes) == 0 {
		return ""
	}
	return p.codes[len(p.codes)-1]
}

// position reads it as of one moment.
func (s *Service) position(ctx context.Context) (p position, err error) {
	rows, err := store.All[Height](s.d.DB.Read(ctx).Raw(`SELECT code,
	(SELECT COALESCE(MAX(id), 0) FROM postings) AS posting,
	COALESCE((SELECT seq FROM audit_head), -1) AS entry, (SELECT hash FROM audit_head) AS entry_hash
	FROM installations ORDER BY since DESC, code`))
	if err != nil {
		return p, fmt.Errorf("read where the database stands: %w", err)
	}
	for _, row := range rows {
		if row.Entry < 0 {
			return p, errors.New("read newest audit entry: audit_head has no row")
		}
		p.codes = append(p.codes, row.Code)
	}
	if len(rows) > 0 {
		p.height = rows[0]
	}
	return p, nil
}

// Compare compares the database with the marks and raises them. It fails with ErrOlder if one is higher. A
// mark that cannot be read or written is only logged: the till must sell without Redis.
func (s *Service) Compare(ctx context.Context) error {
	_, err := s.compareAll(ctx)
	return err
}

// compareAll returns the installation's name, "" where nothing was ever sold.
func (s *Service) compareAll(ctx context.Context) (name string, err error) {
	at, err := s.position(ctx)
	if err != nil {
		return "", err
	}
	for _, mark := range s.d.Marks {
		if err := s.compare(ctx, mark, at.name()); errors.Is(err, ErrOlder) {
			return "", err
		} else if err != nil {
			s.d.Log.WarnContext(ctx, "restore.mark_not_kept", "error", err)
		}
	}
	return at.name(), nil
}

// compare reads the mark before the database. The other way round, another process could sell and raise the
// mark in between, and a sound database would look too old.
func (s *Service) compare(ctx context.Context, mark Mark, name string) error {
	marked, known, err := mark.Read(ctx, name)
	if errors.Is(err, errDamaged) { // it tells nothing any more, and one that is left so never would
		s.d.Log.ErrorContext(ctx, "restore.mark_made_anew", "error", err)
	} else if err != nil {
		return err
	}
	at, err := s.position(ctx)
	switch {
	case err != nil:
		return err
	case known && at.below(marked):
		return ErrOlder
	case name == "":
		return nil // nothing was ever sold
	}
	if known {
		lost, err := s.lost(ctx, at, marked)
		if err != nil {
			return err
		}
		if lost != "" { // the mark stays, as the witness
			at.height.Entry, at.height.EntryHash = marked.Entry, marked.EntryHash
			if !s.told.Swap(true) {
				s.d.Log.ErrorContext(
					ctx, "audit.tail_lost", "entry", marked.Entry, "hash", marked.EntryHash, "problem", lost,
				)
			}
		}
	}
	return mark.Raise(ctx, name, at.height)
}

// lost says what is wrong with the audit entry named by a mark, "": nothing. After a restore from backup,
// under a new code, older marks tell nothing.
func (s *Service) lost(ctx context.Context, at position, mark Height) (string, error) {
	if mark.Entry == 0 || mark.Code != at.height.Code {
		return "", nil
	}
	const sql = "SELECT hash FROM audit_entries WHERE seq = ?"
	hash, err := store.First[string](s.d.DB.Read(ctx).Raw(sql, mark.Entry))
	switch {
	case err != nil:
		return "", fmt.Errorf("find audit entry: %w", err)
	case hash == nil:
		return "entry.lost", nil
	case *hash != mark.EntryHash:
		return "entry.other", nil
	}
	return "", nil
}

// Offence is something named by a mark that the database lacks or has differently.
// Problem is a word that pages have a sentence for (health.offence).
type Offence struct {
	Number  int64 // of the audit entry or the posting
	Problem string
}

// Tail compares the audit trail and the postings with the marks: a trail cut short, or written anew, looks
// whole by itself. It returns what is wrong and how many marks could be read.
func (s *Service) Tail(ctx context.Context) (offences []Offence, read int, err error) {
	at, err := s.position(ctx)
	if err != nil || len(at.codes) == 0 {
		return nil, 0, err
	}
	for _, mark := range s.d.Marks {
		marked, known, err := mark.Read(ctx, at.name())
		if err != nil {
			s.d.Log.WarnContext(ctx, "restore.mark_not_read", "error", err)
			continue
		}
		if !known || marked.Entry == 0 {
			continue
		}
		read++
		if at, err = s.position(ctx); err != nil { // after the mark, as in compare
			return nil, read, err
		}
		problem, err := s.lost(ctx, at, marked)
		if err != nil {
			return nil, read, err
		}
		found := Offence{marked.Entry, problem}
		if problem != "" && !slices.Contains(offences, found) {
			offences = append(offences, found)
		}
		found = Offence{marked.Posting, "posting.lost"}
		if at.below(marked) && !slices.Contains(offences, found) {
			offences = append(offences, found)
		}
	}
	return offences, read, nil
}

// below says whether a mark was made by a database that had come further.
func (p position) below(mark Height) bool {
	return !slices.Contains(p.codes, mark.Code) ||
		len(p.codes) > 0 && mark.Code == p.codes[0] && mark.Posting > p.height.Posting
}

// Start is Compare, with an installation code made if there is none, and with the newest page of the
// upstream's list as a second witness if the upstream answers.
func (s *Service) Start(ctx context.Context) error {
	if waits, err := waiting(s.d.DB.Read(ctx)); err != nil {
		return err
	} else if waits {
		return ErrOlder
	}
	if err := s.beside(ctx); err != nil {
		return err
	}
	if err := s.Compare(ctx); err != nil {
		return err
	}
	if err := s.d.DB.Tx(ctx, func(tx *store.Tx) error { return sales.EnsureInstallation(tx, s.d.Now()) }); err != nil {
		return fmt.Errorf("installation code: %w", err)
	}
	at, err := s.position(ctx)
	if err != nil {
		return err
	}
	quick, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	refs, err := s.newest(quick, 1)
	if err != nil {
		s.d.Log.WarnContext(ctx, "restore.list_not_read", "error", err)
		return nil
	}
	strays, err := s.Strays(ctx, refs)
	if err != nil {
		return err
	}
	for _, ref := range strays {
		if ref[:codeLength] == at.codes[0] && s.confirmed(quick, ref) {
			return ErrOlder
		}
	}
	return s.Compare(ctx)
}

const (
	codeLength = 4
	refLength  = 32
	witnessFor = 10 * time.Second
	// startWithin is how long a start waits for the upstream: after a crash, a cashier may be waiting too.
	startWithin = 2 * time.Second
)
