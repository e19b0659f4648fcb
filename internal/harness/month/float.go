package month

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/reconcile"
)

// floatMove is something that happens to the balance itself.
type floatMove struct {
	drift     string
	micros    int64
	announced bool // two people have entered it
	paid      bool // it is a payment, and no drift
	kind      reconcile.Kind
}

// moveFloat changes the balance and lets the till see it.
func (m *month) moveFloat(ctx context.Context, move floatMove) error {
	amount := money.Of(move.micros, currency)
	if move.announced {
		m.payments++
		paid, err := m.Reconcile.EnterTopUp(ctx, first(), "", amount, ledger.Safe, fmt.Sprintf("bank %d", m.payments))
		if err != nil {
			return err
		}
		if err := m.Reconcile.ApproveTopUp(ctx, paid.ID, second(), m.now()); err != nil {
			return err
		}
	}
	var err error
	if move.paid {
		err = m.upstream.topUp(ctx, amount.Decimal(currency.Decimals()))
	} else {
		err = m.drift(ctx, move.micros)
	}
	m.expect(expectation{drift: move.drift, kind: move.kind, micros: move.micros})
	return errors.Join(err, m.leap(ctx, 10*time.Minute), m.chores(ctx))
}

// drift moves the balance without a word.
func (m *month) drift(ctx context.Context, micros int64) error {
	err := m.upstream.goWrong(ctx, fault{
		Match:  map[string]any{"endpoint": "GetCurrencies"},
		Action: map[string]any{"kind": "balance_drift", "amount": money.Of(micros, currency).Decimal(currency.Decimals())},
	})
	if err != nil {
		return err
	}
	_, err = m.Client.GetCurrencies(ctx)
	return err
}
