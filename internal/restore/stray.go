package restore

import (
	"context"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// newest reads the refs on the newest pages of the upstream's list.
func (s *Service) newest(ctx context.Context, pages int) (refs []string, err error) {
	for page := range pages {
		ctx, cancel := context.WithTimeout(ctx, witnessFor)
		answer, err := s.d.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{
			Skip: page * apiclient.PageSize, Take: apiclient.PageSize,
		})
		cancel()
		if err != nil {
			return refs, err
		}
		for _, item := range answer.Items {
			if id := item.TransferRecord.TransferId; id != nil {
				refs = append(refs, id.DistributorRef)
			}
		}
		if !answer.ThereAreMoreItems {
			break
		}
	}
	return refs, nil
}

// confirmed looks a single ref up: a whole till must not stop because of one garbled answer.
func (s *Service) confirmed(ctx context.Context, ref string) bool {
	ctx, cancel := context.WithTimeout(ctx, witnessFor)
	defer cancel()
	answer, err := s.d.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{
		DistributorRef: ref, Take: apiclient.PageSize,
	})
	return err == nil && len(answer.Items) > 0
}

// Strays returns the refs among the upstream's that carry a code of this installation and are unknown here,
// and opens an incident for each.
func (s *Service) Strays(ctx context.Context, refs []string) ([]string, error) {
	at, err := s.position(ctx)
	if err != nil {
		return nil, err
	}
	ours := slices.DeleteFunc(slices.Clone(refs), func(ref string) bool {
		return len(ref) != refLength || !slices.Contains(at.codes, ref[:codeLength])
	})
	if len(ours) == 0 {
		return nil, nil
	}
	known, err := store.All[string](s.d.DB.Read(ctx).Raw("SELECT ref FROM attempts WHERE ref IN ?", ours))
	if err != nil {
		return nil, fmt.Errorf("find strays: %w", err)
	}
	strays := slices.DeleteFunc(ours, func(ref string) bool { return slices.Contains(known, ref) })
	return strays, s.report(ctx, strays)
}

// Seen is Strays for callers that read the list for another purpose and can do nothing about a failure.
func (s *Service) Seen(ctx context.Context, refs []string) {
	if _, err := s.Strays(ctx, refs); err != nil {
		s.d.Log.WarnContext(ctx, "restore.list_not_compared", "error", err)
	}
}

func (s *Service) report(ctx context.Context, strays []string) error {
	if len(strays) == 0 {
		return nil
	}
	return fault.Doing("report strays", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		for _, ref := range strays {
			seen, err := reported(tx.DB, ref)
			if err != nil {
				return err
			}
			if seen {
				continue
			}
			s.d.Log.ErrorContext(ctx, "restore.stray", "ref", ref)
			incident := sales.Incident{
				Kind: sales.StrayRecord, SaleID: straySubject + ref,
				Note: "the upstream has a transfer under our code that is unknown here", At: store.Moment(s.d.Now()),
			}
			if err := sales.RaiseIncident(ctx, tx, incident); err != nil {
				return err
			}
		}
		return nil
	}))
}

// straySubject begins the subject of an incident about a sale that is not here.
const straySubject = "ref:"

// reported says whether a stray has had its incident, open or closed: people are told of it once.
func reported(session *gorm.DB, ref string) (bool, error) {
	return store.Some(session.Table("incidents").Where("kind = ? AND sale_id = ?", sales.StrayRecord, straySubject+ref))
}
