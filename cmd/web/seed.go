package main

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/app"
	"airtill/internal/harness/demodata"
	"airtill/internal/ledger"
)

// seed fills an empty database with invented trade, and sums it for the reports and the books.
func seed(ctx context.Context, t terminal) error {
	var plan demodata.Plan
	t.flags.IntVar(&plan.Sales, "sales", 20_000, "how many sales")
	t.flags.IntVar(&plan.Days, "days", 90, "over how many days, up to now")
	t.flags.IntVar(&plan.Shops, "shops", 5, "in how many shops")
	t.flags.Uint64Var(&plan.Seed, "seed", 1, "the same number invents the same trade")
	t.flags.StringVar(
		&plan.Zone, "zone", "", "the time zone of every shop, such as Europe/Dublin (default: some of Europe)",
	)
	t.flags.BoolVar(&plan.Bare, "bare", false, "sales alone, without events and books: for measuring with very many")
	if err := t.parse(); err != nil {
		return err
	}
	return withBooks(ctx, t, func(b *app.Books) error {
		generator, err := demodata.New(demodata.Deps{DB: b.DB, Staff: b.Staff, Now: now, Log: b.Log}, plan)
		if err == nil {
			err = generator.Generate(ctx)
		}
		if err == nil {
			err = b.Report.Rebuild(ctx)
		}
		// The second folds what the first saw.
		for _, at := range []time.Time{now().Add(-ledger.CheckpointEvery), now()} {
			if err == nil {
				err = b.Ledger.Checkpoint(ctx, at)
			}
		}
		if err == nil {
			_, err = fmt.Fprintf(t.out, "invented %d sales of %d days in %d shops\n", plan.Sales, plan.Days, plan.Shops)
		}
		return err
	})
}

// rebuildReports sums the rollups again, in case of doubt.
func rebuildReports(ctx context.Context, t terminal) error {
	return withBooks(ctx, t, func(b *app.Books) error { return b.Report.Rebuild(ctx) })
}
