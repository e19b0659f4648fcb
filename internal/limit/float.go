package limit

import (
	"context"
	"slices"
	"time"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

var (
	errFloat     = fault.New(fault.Unavailable, "float.low")
	errFloatKept = fault.New(fault.Unavailable, "float.kept")
	errFloatDay  = fault.New(fault.Unavailable, "float.day")
	errFloatGone = fault.New(fault.Unavailable, "float.gone")
)

// Float is how the float stands in a currency.
type Float struct {
	Gone      bool
	Available int64 // millionths
}

// Asked is the question for it.
func (f *Float) Asked(currency money.Currency) store.Asking[Float] {
	columns := FloatColumns(currency)
	return store.Asking[Float]{
		Key: currency, SQL: "SELECT " + columns.SQL, Args: columns.Args, Into: f,
		Row: func(scan store.Scanner) error { return scan(&f.Gone, &f.Available) },
	}
}

// FloatColumns are Gone and Available, as parts of a caller's question.
func FloatColumns(currency money.Currency) store.Statement {
	balance := ledger.BalanceOf(ledger.Float, currency)
	return store.Statement{
		SQL: "EXISTS (SELECT 1 FROM incidents WHERE kind = '" + FloatGone + "' AND closed_at IS NULL), (" +
			balance.SQL + ")",
		Args: balance.Args,
	}
}

// AskFloat is a question for the float before a sale of a shop, and what must come ahead of it. In a shop with
// a cap one sale at a time passes, so that two at once cannot exceed it.
func (s *Service) AskFloat(
	ctx context.Context, tx *store.Tx, shopID string, currency money.Currency, question store.Query,
) ([]store.Query, error) {
	_, capped, err := s.ofFloat(ctx, tx, shopID, currency, Kind{LowMark, Day, Sum})
	if err != nil || !capped {
		return []store.Query{question}, err
	}
	return tx.Locked("float of "+shopID, question), nil
}

// CheckFloat refuses before money is taken what the upstream would refuse after. The float was read without a
// lock: two sales at the edge may both pass, and the upstream then refuses one. The shop's own cap is exact
// (see AskFloat). Total is what a sale costs the agent; day is as in CheckSale.
func (s *Service) CheckFloat(
	ctx context.Context, db store.Asker, now Float, shopID string, total money.Amount, day time.Time,
) error {
	if now.Gone {
		return errFloatGone
	}
	left := now.Available - total.Micros()
	if left < 0 {
		return errFloat
	}
	if err := s.checkReserve(ctx, db, shopID, total.Currency(), left); err != nil {
		return err
	}
	return s.checkCap(ctx, db, shopID, total, day)
}

// ofFloat returns a shop's limit of the float in a currency; set is false if there is none.
func (s *Service) ofFloat(
	ctx context.Context, db store.Asker, shopID string, currency money.Currency, kind Kind,
) (l Limit, set bool, err error) {
	limits, err := s.in(ctx, db, shopID, kind.Subject)
	at := slices.IndexFunc(limits, func(l Limit) bool { return l.Kind == kind && l.Currency == currency })
	if err != nil || at < 0 {
		return Limit{}, false, err
	}
	return limits[at], true, nil
}

// checkReserve refuses what would leave less of the float than the shop must leave to the others.
func (s *Service) checkReserve(
	ctx context.Context, db store.Asker, shopID string, currency money.Currency, left int64,
) error {
	reserve, set, err := s.ofFloat(ctx, db, shopID, currency, Kind{FloatKept, Each, Sum})
	if err != nil || !set || left >= reserve.Most {
		return err
	}
	return errFloatKept
}

// checkCap refuses a sale that takes its shop over its cap.
func (s *Service) checkCap(
	ctx context.Context, db store.Asker, shopID string, total money.Amount, day time.Time,
) error {
	most, set, err := s.ofFloat(ctx, db, shopID, total.Currency(), Kind{LowMark, Day, Sum})
	if err != nil || !set {
		return err
	}
	sum := inCurrency("send_micros + distributor_fee_micros", "send_currency", total.Currency())
	since := s.began(day)
	column := usedSince(sum, "shop_id", shopID, "id", store.FirstID(since), since)
	var used int64
	err = db.Rows(ctx, store.Query{
		SQL: "SELECT " + column.SQL, Args: column.Args, Row: func(scan store.Scanner) error { return scan(&used) },
	})
	if err != nil || used <= most.Most-total.Micros() {
		return err
	}
	return errFloatDay
}
