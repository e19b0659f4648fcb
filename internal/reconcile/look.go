package reconcile

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Run is one look at the other side.
type Run struct {
	ID        string
	What      string // records, balance, drawers
	BeganAt   time.Time
	EndedAt   time.Time
	AskedBy   string     // user id, "": the schedule
	FromAt    *time.Time // the list reached back to here
	Records   int
	Matched   int
	OpenSales int
	Found     int
	Fresh     int
	Error     string
}

// TableName is read by GORM.
func (Run) TableName() string { return "reconcile_runs" }

// Look is what a look at the upstream's records found.
type Look struct {
	Run
	Matching
	Drafts  []Break  // stored, or in a dry run to be stored
	Changes []Change // of a dry run

	window Window
}

// Listed is what the upstream's list told.
type Listed struct {
	items   []apiclient.TransferRecordWithErrorCodes
	records []Record
	window  Window
}

// settleFor is how young a transfer may be and not be listed yet.
const settleFor = 5 * time.Minute

// LookAtRecords reads the upstream's list as far as it goes, matches it with our sales and stores differences
// as breaks. A transfer listed with another end than ours is fed to its sale. A dry run changes nothing and
// says what it would do. by is the user who asked, "" for the schedule.
func (s *Service) LookAtRecords(ctx context.Context, by string, dry bool) (Look, error) {
	look := Look{Run: Run{ID: store.NewID(s.d.Now()), What: "records", BeganAt: store.Moment(s.d.Now()), AskedBy: by}}
	err := s.lookAtRecords(ctx, &look, dry)
	if err != nil && !dry {
		look.Error = problemOf(err)
		err = errors.Join(err, s.storeRun(ctx, &look.Run))
	}
	return look, fault.Doing("look at records", told(err))
}

// told explains an error of the upstream: it did not answer, it refused, or we have asked too often.
func told(err error) error {
	var upstream *apiclient.Error
	switch {
	case fault.KindOf(err) != fault.Internal || !errors.As(err, &upstream):
		return err
	case upstream.ResultCode != 0:
		return apiclient.Told(err, fault.Unavailable, errNoLook.Code)
	}
	return apiclient.Told(err, fault.Unavailable, "upstream.no-answer")
}

var (
	errBudget = fault.New(fault.Unavailable, "upstream.budget")
	errNoLook = fault.New(fault.Unavailable, "upstream.no-look")
)

// problemOf is what a run stores of an error; details are in the log.
func problemOf(err error) string {
	if note := fault.Note(err); note != "" {
		return note
	}
	if errors.Is(err, apiclient.ErrBudget) {
		return errBudget.Code
	}
	return errNoLook.Code
}

func (s *Service) lookAtRecords(ctx context.Context, look *Look, dry bool) error {
	list, err := s.list(ctx)
	if err != nil {
		return err
	}
	ours, err := s.ourSide(ctx, list.records, list.window)
	if err != nil {
		return err
	}
	look.Matching = Match(list.records, ours, list.window)
	if err := look.plausible(); err != nil {
		return err
	}
	look.window = list.window
	look.FromAt, look.Run.Records = &list.window.From, look.Matching.Records
	look.Matched, look.OpenSales = look.Pairs, look.Open
	if !dry {
		if err := s.feed(ctx, look, list.items); err != nil {
			return err
		}
	}
	if err := s.draft(ctx, look); err != nil {
		return err
	}
	look.Found = len(look.Drafts)
	if dry {
		return s.foresee(ctx, look)
	}
	return s.storeLook(ctx, look)
}

// plausibleMissing is how many sales a list may lack and still be believed; beyond it, more than half of them
// must be listed.
const plausibleMissing = 10

// plausible refuses a list that lacks most of our sales: then the list is wrong, not a thousand sales.
func (look *Look) plausible() error {
	missing := 0
	for _, f := range look.Findings {
		if f.Kind == MissingUpstream {
			missing++
		}
	}
	if missing > plausibleMissing && missing > look.Pairs {
		return fault.New(fault.Unavailable, "upstream.list-lacks-sales")
	}
	return nil
}

// feed gives a sale what the list shows of its transfer, if that ended differently from ours: the reducer
// moves sales, not the matching.
func (s *Service) feed(ctx context.Context, look *Look, items []apiclient.TransferRecordWithErrorCodes) error {
	byRef := map[string][]apiclient.TransferRecordWithErrorCodes{}
	for _, item := range items {
		if id := item.TransferRecord.TransferId; id != nil {
			byRef[id.DistributorRef] = append(byRef[id.DistributorRef], item)
		}
	}
	for i := range look.Findings {
		f := &look.Findings[i]
		if f.Kind != LateSuccess && f.Kind != LateReversal && f.Kind != ExecutedTwice {
			continue
		}
		if err := s.feedSale(ctx, f, byRef); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) feedSale(
	ctx context.Context, f *Finding, byRef map[string][]apiclient.TransferRecordWithErrorCodes,
) error {
	sale, err := s.d.Sales.Get(ctx, f.Subject, "")
	if err != nil {
		return err
	}
	for _, r := range f.Records {
		if r.Ref != sale.Ref { // an earlier attempt
			if err := s.d.Sales.LookSoon(ctx, r.Ref); err != nil {
				return err
			}
		}
	}
	if f.Kind != ExecutedTwice {
		f.Float = 0 // the reducer books it, now or once a reversal is seen twice
	} else if known, err := s.known(ctx, f); err != nil || known { // the sale would tell people of it with each look
		return err
	}
	if len(byRef[sale.Ref]) == 0 {
		return nil
	}
	_, err = s.d.Sales.ObserveListed(ctx, sale, byRef[sale.Ref])
	return err
}

// known says whether the break of a finding is stored already, on the same evidence.
func (s *Service) known(ctx context.Context, f *Finding) (bool, error) {
	draft, err := f.draft()
	if err != nil {
		return false, err
	}
	stored, err := knownBreak(s.d.DB.Read(ctx), f.Kind, f.Subject)
	return stored != nil && stored.sameAs(draft), err
}

// draft makes breaks of the findings and of incidents reported since.
func (s *Service) draft(ctx context.Context, look *Look) error {
	for _, f := range look.Findings {
		b, err := f.draft()
		if err != nil {
			return err
		}
		look.Drafts = append(look.Drafts, b)
	}
	back, err := s.takenBack(ctx, look.Ended)
	if err != nil {
		return err
	}
	look.Drafts = append(look.Drafts, back...)
	told, err := s.fromIncidents(ctx, look.Drafts)
	look.Drafts = append(look.Drafts, told...)
	return err
}

// storeLook stores what a look found, ends what is gone, and records the run.
func (s *Service) storeLook(ctx context.Context, look *Look) error {
	return s.d.DB.Tx(ctx, func(tx *store.Tx) (err error) {
		if look.Fresh, err = s.storeBreaks(tx, look.Drafts); err != nil {
			return err
		}
		gone, err := look.gone(tx.DB)
		if err != nil {
			return err
		}
		if err := s.fade(ctx, tx, gone); err != nil {
			return err
		}
		if err := s.storeForeign(ctx, tx, look.Declared, look.window); err != nil {
			return err
		}
		look.EndedAt = store.Moment(s.d.Now())
		return tx.Create(&look.Run).Error
	})
}

// gone are the breaks of sales on which everything agrees now, and of sales of others that ended before anything was
// booked for them.
func (look *Look) gone(session *gorm.DB) (gone []Break, err error) {
	open, err := store.All[Break](session.Where(unresolvedSQL + " AND sale_id <> ''").Order("found_at, id"))
	if err != nil {
		return nil, err
	}
	for _, b := range open {
		if _, agrees := look.Agreed[b.SaleID]; agrees && b.Kind.ofRecords() && b.Kind.fades() {
			gone = append(gone, b)
		}
	}
	over, err := breaksOf(session, look.Ended, unresolvedSQL+" AND booked_micros = 0")
	return append(gone, over...), err
}

// storeRun records a failed run.
func (s *Service) storeRun(ctx context.Context, run *Run) error {
	run.EndedAt = store.Moment(s.d.Now())
	return s.d.DB.Tx(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.Create(run).Error })
}
