package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"airtill/internal/app"
	"airtill/internal/harness/demodata"
)

// seed fills an empty database with invented trade, and sums it for the reports.
func seed(ctx context.Context, t terminal, args []string) error {
	var plan demodata.Plan
	flags := flag.NewFlagSet("seed", flag.ContinueOnError)
	flags.IntVar(&plan.Sales, "sales", 20_000, "how many sales")
	flags.IntVar(&plan.Days, "days", 90, "over how many days, up to now")
	flags.IntVar(&plan.Shops, "shops", 5, "in how many shops")
	flags.Uint64Var(&plan.Seed, "seed", 1, "the same number invents the same trade")
	flags.StringVar(
		&plan.Zone, "zone", "", "the time zone of every shop, such as Europe/Dublin (default: some of Europe)",
	)
	flags.BoolVar(&plan.Bare, "bare", false, "sales alone, without events and books: for measuring with very many")
	if err := t.parse(flags, args); err != nil {
		return err
	}
	b, err := openBooks(ctx, t)
	if err != nil {
		return err
	}
	return errors.Join(invent(ctx, b, t, plan), b.Close())
}

func invent(ctx context.Context, b *app.Books, t terminal, plan demodata.Plan) error {
	if err := b.UpToDate(ctx); err != nil {
		return err
	}
	generator, err := demodata.New(demodata.Deps{DB: b.DB, Staff: b.Staff, Now: now, Log: b.Log}, plan)
	if err != nil {
		return err
	}
	if err := generator.Generate(ctx); err != nil {
		return err
	}
	if err := b.Report.Rebuild(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, "invented %d sales of %d days in %d shops\n", plan.Sales, plan.Days, plan.Shops)
	return err
}

// rebuildReports sums the rollups again, in case of doubt.
func rebuildReports(ctx context.Context, t terminal, args []string) error {
	if err := t.parse(flag.NewFlagSet("report rebuild", flag.ContinueOnError), args); err != nil {
		return err
	}
	return withBooks(ctx, t, func(b *app.Books) error { return b.Report.Rebuild(ctx) })
}
