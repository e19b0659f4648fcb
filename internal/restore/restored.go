package restore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/jobs"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// Report is what Restored did. The lost time is that between the backup and the restore.
type Report struct {
	Code   string       // the new installation code
	Voided []sales.Sale // recorded and never to be sent; their cash is due back
	Found  []sales.Sale // recorded here, sent in the lost time
	Strays []string     // refs of transfers of the lost time that are unknown here
}

// Restored makes a restored database safe to sell with. It takes a new installation code, so that no ref is
// made twice; asks the upstream about each sale that is recorded but not sent here, since it may have been
// sent in the lost time; and voids the others. It may be repeated, and must be if it fails. The upstream has
// to answer, and no process may be running.
func (s *Service) Restored(ctx context.Context, by audit.Actor) (Report, error) {
	if err := s.alone(ctx); err != nil {
		return Report{}, err
	}
	refs, err := s.newest(ctx, apiclient.MaxPages)
	if err != nil {
		return Report{}, fault.Wrap(err, fault.Unavailable, "restore.no-answer")
	}
	if err := s.alone(ctx); err != nil { // one may have started meanwhile
		return Report{}, err
	}
	report := Report{}
	if report.Code, err = s.newCode(ctx, by); err != nil {
		return report, err
	}
	failpoint.Hit("K16")
	if err := s.settleRecorded(ctx, &report); err != nil {
		return report, err
	}
	if report.Strays, err = s.Strays(ctx, refs); err != nil {
		return report, err
	}
	if err := s.lower(ctx); err != nil {
		return report, err
	}
	return report, fault.Doing("settle the restored backup", s.d.DB.Exec(
		ctx, "UPDATE restored_backups SET settled_at = ? WHERE settled_at IS NULL", store.Moment(s.d.Now()),
	))
}

// alone fails while a process of the till is running, on this database or another of its name.
func (s *Service) alone(ctx context.Context) error {
	running, err := jobs.Running(ctx, s.d.DB)
	switch {
	case err != nil:
		return err
	case running:
		return fault.New(fault.Conflict, "restore.running", jobs.AliveFor)
	}
	return s.beside(ctx)
}

func (s *Service) newCode(ctx context.Context, by audit.Actor) (code string, err error) {
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if code, err = sales.NewInstallation(tx, s.d.Now()); err != nil {
			return err
		}
		if err := s.unsettled(tx); err != nil {
			return err
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: by, Act: audit.InstallationRestored, Subject: audit.Of(audit.Installation, code),
		})
	})
	return code, fault.Doing("new installation code", err)
}

// unsettled notes that a restored backup is not settled yet, unless that is known. With the new code no mark is above
// the database any more: without this note the till would start on a repair that was cut short.
func (s *Service) unsettled(tx *store.Tx) error {
	waits, err := waiting(tx.DB)
	if err != nil || waits {
		return err
	}
	now := store.Moment(s.d.Now()) // when the backup was made is not known
	return tx.Exec("INSERT INTO restored_backups (made_at, restored_at) VALUES (?, ?)", now, now).Error
}

// waiting says whether a restored backup is not settled yet.
func waiting(session *gorm.DB) (waits bool, err error) {
	err = session.Raw("SELECT EXISTS (SELECT 1 FROM restored_backups WHERE settled_at IS NULL)").Scan(&waits).Error
	return waits, fault.Doing("look for a restored backup", err)
}

// settleRecorded looks each recorded sale up, and voids it if the upstream does not have it, but does have what it
// must.
func (s *Service) settleRecorded(ctx context.Context, report *Report) error {
	recorded, err := store.All[sales.Sale](s.d.DB.Read(ctx).Where("fulfilment = ?", sales.Recorded).Order("id"))
	if err != nil {
		return fmt.Errorf("find recorded sales: %w", err)
	}
	for _, sale := range recorded {
		answer, err := s.d.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{
			DistributorRef: sale.Ref, Take: apiclient.PageSize,
		})
		if err != nil {
			return fmt.Errorf("sale %s: %w; run it again", sale.ID, err)
		}
		if len(answer.Items) > 0 {
			if sale, err = s.d.Sales.ObserveListed(ctx, sale, answer.Items); err != nil {
				return fmt.Errorf("sale %s: %w", sale.ID, err)
			}
			report.Found = append(report.Found, sale)
			continue
		}
		if err := s.controlled(ctx); err != nil {
			return fmt.Errorf("sale %s: %w; run it again", sale.ID, err)
		}
		sale, err = s.d.Sales.Observe(ctx, sale.ID, sales.Observation{
			Cause: sales.CalledOff, At: s.d.Now(), Source: "web restored",
		})
		if err != nil {
			return fmt.Errorf("void sale %s: %w", sale.ID, err)
		}
		report.Voided = append(report.Voided, sale)
	}
	return nil
}

// errStale says that the upstream's list is not up to date, or empty.
var errStale = errors.New("the upstream's list lacks a transfer that is known to be complete")

// controlWithin is how lately a transfer completed that the list must have.
const controlWithin = 30 * 24 * time.Hour

// controlled fails if the list lacks the newest transfer known to be complete: absence there says nothing then (L4).
// Without such a transfer there is nothing to tell by.
func (s *Service) controlled(ctx context.Context) error {
	since := s.d.Now().Add(-controlWithin)
	control, err := store.First[sales.Sale](s.d.DB.Read(ctx).Where(
		"id > ? AND fulfilment = ? AND practice = ? AND final_at > ?", store.FirstID(since), sales.Complete, false,
		store.Moment(since),
	).Order("id DESC"))
	if err != nil || control == nil {
		return fault.Doing("find a control", err)
	}
	answer, err := s.d.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{
		DistributorRef: control.Ref, Take: apiclient.PageSize,
	})
	if err == nil && len(answer.Items) == 0 {
		err = errStale
	}
	return err
}

// lower sets the marks to where the database stands. Its new code is above every mark of an older one.
func (s *Service) lower(ctx context.Context) error {
	at, err := s.position(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, mark := range s.d.Marks {
		failed = append(failed, mark.Raise(ctx, at.name(), at.height))
	}
	return errors.Join(failed...)
}
