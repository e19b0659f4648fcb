package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/text/language"

	"airtill/internal/app"
	"airtill/internal/invariant"
	"airtill/internal/reconcile"
	"airtill/web/frame"
	"airtill/web/locale"
)

// balanceWithin bounds how long verify waits for the upstream.
const balanceWithin = 15 * time.Second

// verify checks every invariant, a line each, and names offenders.
func verify(ctx context.Context, t terminal) error {
	return withBooks(ctx, t, func(b *app.Books) (err error) {
		balance, end, err := balanceNow(b)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
		run, err := b.Checks(balance, nil).Verify(ctx, "web verify")
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

// balanceNow asks the upstream for the balance, if the environment names it.
func balanceNow(b *app.Books) (ask app.AskBalance, end func() error, err error) {
	if (config{Config: b.Config}).checkUpstream() != nil {
		return nil, func() error { return nil }, nil //nolint:nilerr // the books can be checked without an upstream
	}
	client, end, err := b.Upstream()
	if err != nil {
		return nil, nil, err
	}
	service := reconcile.New(reconcile.Deps{DB: b.DB, Client: client, Ledger: b.Ledger, Now: now, Log: b.Log})
	return func(ctx context.Context) (reconcile.UpstreamBalance, error) {
		ctx, cancel := context.WithTimeout(ctx, balanceWithin)
		defer cancel()
		return service.AskBalance(ctx)
	}, end, nil
}

// printFinding writes one invariant in a line, and a line for each offender.
func printFinding(out io.Writer, f invariant.Finding) {
	verdict, note := "ok   ", ""
	if f.Broken() > 0 {
		verdict = "FAIL "
	}
	l := locale.New(language.English, time.UTC)
	if text := frame.CheckNotes(l, f); text != "" {
		note = " (" + text + ")"
	}
	fmt.Fprintf(out, "%s %-5s %s: %d checked, %d offend%s\n", verdict, f.Name, f.Rule, f.Checked, f.Broken(), note)
	for _, o := range f.Offenders {
		fmt.Fprintf(out, "      %s %s: %s\n", f.Name, o.Subject, frame.OffenderLine(l, o))
	}
	if f.More > 0 {
		fmt.Fprintf(out, "      %s and %d more\n", f.Name, f.More)
	}
}
