package app

import (
	"context"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"airtill/internal/invariant"
	"airtill/internal/reconcile"
	"airtill/internal/restore"
)

// AskBalance asks the upstream for the balance and stores it.
type AskBalance = func(context.Context) (reconcile.UpstreamBalance, error)

// Checks returns the checker of these books; balance and metrics may be nil. Further rooms add their checks
// here, as More.
func (b *Books) Checks(balance AskBalance, metrics prometheus.Registerer) *invariant.Service {
	return invariant.New(invariant.Deps{
		DB: b.DB, Ledger: b.Ledger, Audit: b.Audit, Staff: b.Staff, Balance: balance,
		More: append(b.moreChecks(), b.tamperChecks()...), Metrics: metrics, Board: b.Board, Log: b.Log, Now: b.Now,
	})
}

// moreChecks are those of rooms that invariant does not know.
func (b *Books) moreChecks() []invariant.Check {
	statements := func(ctx context.Context, f *invariant.Finding) error {
		offences, checked, err := b.Statements.Verify(ctx)
		for _, o := range offences {
			f.BlameAs("statement", o.Problem, invariant.Offender{Subject: o.ID, Shop: o.ShopID, Number: o.Number})
		}
		f.Checked = checked
		return err
	}
	shifts := func(ctx context.Context, f *invariant.Finding) error {
		offences, checked, err := b.Till.Verify(ctx)
		for _, o := range offences {
			f.BlameAs("shift", o.Problem, invariant.Offender{Subject: o.ShiftID})
		}
		f.Checked = checked
		return err
	}
	return []invariant.Check{
		{
			Name: "shifts", Check: shifts,
			Rule: "the Z reports of closed shifts are as they were written, follow one another and add up",
		},
		{
			Name: "statements", Rule: "closed statements are as they were written, follow one another and add up",
			Check: statements,
		},
	}
}

// tamperChecks look for what only the owner of the database can do.
func (b *Books) tamperChecks() []invariant.Check {
	return []invariant.Check{
		{Name: "guards", Rule: "the triggers that keep what was written are there", Check: func(
			ctx context.Context, f *invariant.Finding,
		) error {
			offences, checked, err := b.DB.Guards(ctx)
			for _, o := range offences {
				f.Blame(invariant.Kind("guard."+o.Problem), o.Name)
			}
			f.Checked = checked
			if owner, ownerErr := b.DB.Owner(ctx); owner && ownerErr == nil {
				f.Notes = []invariant.Note{{Kind: invariant.OwnsTables}}
			} else if err == nil {
				err = ownerErr
			}
			return err
		}},
		{
			Name: "tail", Rule: "the audit trail and the postings reach as far as was noted outside the database",
			Check: b.tail,
		},
	}
}

// tail reads the marks itself, since a command checks too, whatever else runs.
func (b *Books) tail(ctx context.Context, f *invariant.Finding) error {
	var client *redis.Client
	if b.Config.RedisURL != "" {
		var err error
		if client, err = NewRedis(b.Config, nil); err != nil {
			return err
		}
		defer client.Close()
	}
	offences, read, err := restore.New(restore.Deps{DB: b.DB, Marks: b.Config.Marks(client), Log: b.Log}).Tail(ctx)
	for _, o := range offences {
		f.Blame(invariant.Kind(o.Problem), strconv.FormatInt(o.Number, 10))
	}
	if f.Checked = int64(read); read == 0 {
		f.Notes = []invariant.Note{{Kind: invariant.NothingNoted}}
	}
	return err
}
