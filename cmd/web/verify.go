package main

import (
	"context"
	"flag"
	"fmt"

	"airtill/internal/sales"
)

// verify checks what must always hold, and names what does not.
func verify(ctx context.Context, t terminal, args []string) error {
	if err := t.parse(flag.NewFlagSet("verify", flag.ContinueOnError), args); err != nil {
		return err
	}
	return withBooks(ctx, t, func(b *books) error {
		var offences []string
		for _, look := range []func(context.Context) ([]string, error){b.verifyLedger, b.verifyRest, b.verifyAudit} {
			found, err := look(ctx)
			if err != nil {
				return err
			}
			offences = append(offences, found...)
		}
		for _, offence := range offences {
			fmt.Fprintln(t.out, offence)
		}
		if len(offences) > 0 {
			return errSaid
		}
		_, err := fmt.Fprintln(t.out, "everything holds")
		return err
	})
}

// verifyLedger checks I3, journals sum to zero, and I4, checkpoints are the sum
// of their postings.
func (b *books) verifyLedger(ctx context.Context) ([]string, error) {
	found, err := b.ledger.Verify(ctx)
	var offences []string
	for _, o := range found {
		offences = append(offences, fmt.Sprintf("%s %s: %s", o.Invariant, o.Subject, o.Detail))
	}
	return offences, err
}

// verifyRest checks I6: while nothing is open, nothing is reserved, prepaid or
// owed. While something is, these accounts tell nothing.
func (b *books) verifyRest(ctx context.Context) ([]string, error) {
	var open int64
	err := b.db.Read(ctx).Raw("SELECT COUNT(*) FROM sales WHERE fulfilment IN ? OR cash IN ? OR receivable_micros <> 0",
		sales.OpenStates(), []sales.Cash{sales.CashTaken, sales.CashRefundDue}).Scan(&open).Error
	if err != nil || open > 0 {
		return nil, err
	}
	balances, err := b.ledger.Balances(ctx, "1110", "1120", "1130", "2000", "2010")
	var offences []string
	for _, balance := range balances {
		if balance.Micros != 0 {
			offences = append(offences, fmt.Sprintf("I6 %s: %d millionths %s although no sale is open", balance.Account, balance.Micros, balance.Currency))
		}
	}
	return offences, err
}

func (b *books) verifyAudit(ctx context.Context) ([]string, error) {
	found, err := b.audit.Verify(ctx)
	var offences []string
	for _, o := range found {
		offences = append(offences, o.String())
	}
	return offences, err
}
