package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"airtill/internal/invariant"
	"airtill/internal/reconcile"
	"airtill/internal/restore"
)

// balanceWithin bounds how long verify waits for the upstream.
const balanceWithin = 15 * time.Second

// verify checks what must always hold, a line each, and names what does not.
func verify(ctx context.Context, t terminal, args []string) error {
	if err := t.parse(flag.NewFlagSet("verify", flag.ContinueOnError), args); err != nil {
		return err
	}
	return withBooks(ctx, t, func(b *books) error {
		balance, closing, err := b.balanceNow()
		if err != nil {
			return err
		}
		defer closing()
		run, err := b.newInvariants(balance, nil).Verify(ctx, "web verify")
		if err != nil {
			return err
		}
		for _, finding := range run.Findings {
			printFinding(t.out, finding)
		}
		if !run.Holds {
			return errSaid
		}
		_, err = fmt.Fprintln(t.out, "everything holds")
		return err
	})
}

// newInvariants returns the checker of these books. Further rooms add their
// checks here, as More.
func (b *books) newInvariants(balance askBalance, metrics prometheus.Registerer) *invariant.Service {
	return invariant.New(invariant.Deps{DB: b.db, Ledger: b.ledger, Audit: b.audit, Staff: b.staff, Balance: balance, More: append(b.moreChecks(), b.tamperChecks()...), Metrics: metrics, Board: b.board, Log: b.log, Now: now})
}

// moreChecks are those of the rooms that stand beside the books.
func (b *books) moreChecks() []invariant.Check {
	return []invariant.Check{
		{Name: "statements", Rule: "closed statements are as they were written, follow one another and add up", Check: func(ctx context.Context, f *invariant.Finding) error {
			offences, checked, err := b.statements.Verify(ctx)
			for _, o := range offences {
				f.Blame(o.Subject, "%s", o.Problem)
			}
			f.Checked = checked
			return err
		}},
	}
}

// tamperChecks look for what nobody but the owner of the database can do.
func (b *books) tamperChecks() []invariant.Check {
	return []invariant.Check{
		{Name: "guards", Rule: "the triggers that keep what was written are there", Check: func(ctx context.Context, f *invariant.Finding) error {
			offences, checked, err := b.db.Guards(ctx)
			for _, o := range offences {
				f.Blame(o.Name, "%s", o.Problem)
			}
			f.Checked = checked
			if owner, ownerErr := b.db.Owner(ctx); owner && ownerErr == nil {
				f.Note = ownsTables
			} else if err == nil {
				err = ownerErr
			}
			return err
		}},
		{Name: "tail", Rule: "the audit trail reaches as far as was noted outside the database", Check: b.tail},
	}
}

// tail asks the marks itself: it is checked by a command, too, beside whatever runs.
func (b *books) tail(ctx context.Context, f *invariant.Finding) error {
	var client *redis.Client
	if b.config.RedisURL != "" {
		var err error
		if client, err = newRedis(b.config, nil); err != nil {
			return err
		}
		defer client.Close()
	}
	offences, read, err := restore.New(restore.Deps{DB: b.db, Marks: b.config.marks(client), Log: b.log}).Tail(ctx)
	for _, o := range offences {
		f.Blame(fmt.Sprintf("audit entry %d", o.Seq), "%s", o.Problem)
	}
	if f.Checked = int64(read); read == 0 {
		f.Note = "nothing is noted there yet, or it cannot be read"
	}
	return err
}

// askBalance asks the upstream for the balance and keeps it.
type askBalance = func(context.Context) (reconcile.UpstreamBalance, error)

// balanceNow asks the upstream for the balance, if the environment says where it
// is.
func (b *books) balanceNow() (ask askBalance, closing func(), err error) {
	if b.config.checkUpstream() != nil {
		return nil, func() {}, nil //nolint:nilerr // the books can be checked without an upstream
	}
	client, err := newUpstream(b.config, nil, nil, b.log)
	if err != nil {
		return nil, nil, err
	}
	service := reconcile.New(reconcile.Deps{DB: b.db, Client: client, Ledger: b.ledger, Now: now, Log: b.log})
	return func(ctx context.Context) (reconcile.UpstreamBalance, error) {
		ctx, cancel := context.WithTimeout(ctx, balanceWithin)
		defer cancel()
		return service.AskBalance(ctx)
	}, client.Close, nil
}

// printFinding writes one invariant in one line, and a line for each offender.
func printFinding(out io.Writer, f invariant.Finding) {
	verdict, note := "ok   ", ""
	if f.Broken() > 0 {
		verdict = "FAIL "
	}
	if f.Note != "" {
		note = " (" + f.Note + ")"
	}
	fmt.Fprintf(out, "%s %-5s %s: %d checked, %d offend%s\n", verdict, f.Name, f.Rule, f.Checked, f.Broken(), note)
	for _, o := range f.Offenders {
		fmt.Fprintf(out, "      %s %s: %s\n", f.Name, o.Subject, o.Problem)
	}
	if f.More > 0 {
		fmt.Fprintf(out, "      %s and %d more\n", f.Name, f.More)
	}
}
