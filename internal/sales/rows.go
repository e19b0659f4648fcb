package sales

import (
	"strings"
	"sync"
	"time"

	"airtill/internal/store"
)

// movable names what may change in a sale: all but what was confirmed.
var movable = sync.OnceValue(func() []string {
	return strings.Split("fulfilment, cash, hold, hold_micros, receivable_micros, "+store.Columns[Send]()+", "+
		store.Columns[Outcome]()+", "+store.Columns[LookUps]()+", events, final_at, updated_at", ", ")
})

// updateStatement writes what may change in a sale if the row is as it was read: the compare-and-set that
// makes a permit unique.
func updateStatement(before *Sale, after Sale) store.Statement {
	return store.Statement{
		SQL: "UPDATE sales SET " + strings.Join(movable(), " = ?, ") +
			" = ? WHERE id = ? AND events = ? AND fulfilment = ?",
		Args: append(store.Fields(&after, movable()...), before.ID, before.Events, before.Fulfilment),
	}
}

func eventStatement(before, after *Sale, o Observation) store.Statement {
	ref := after.Ref
	if o.Old && o.State == Complete {
		ref = o.Ref // of the attempt that went through
	}
	return store.Statement{
		SQL: "INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note) " +
			"SELECT ?,?,?,?,?,?,?,?,?,?",
		Args: []any{
			after.ID, after.Events, o.At, o.Cause, o.Source, ref, before.position(), after.position(), o.Actor,
			strings.TrimSpace(o.ReasonCode + " " + o.ReasonContext),
		},
	}
}

// incidentStatement opens an incident, unless the sale already has an open one of that kind.
func incidentStatement(i Incident) store.Statement {
	return store.Statement{
		SQL: `INSERT INTO incidents (id, kind, sale_id, note, micros, currency, at, closed_by) VALUES (?,?,?,?,?,?,?,'')
			ON CONFLICT DO NOTHING`,
		Args: []any{store.NewID(i.At), i.Kind, i.SaleID, i.Note, i.Micros, i.Currency, i.At},
	}
}

func attemptStatement(sale *Sale) store.Statement {
	return store.Statement{
		SQL:  "INSERT INTO attempts (ref, sale_id, number, created_at, late) SELECT ?,?,?,?,?",
		Args: []any{sale.Ref, sale.ID, sale.Attempt, sale.AttemptAt, false},
	}
}

// replacedStatement keeps an attempt looked for after another ref replaced it. One that never had a permit
// cannot have been executed.
func replacedStatement(before *Sale, at time.Time) store.Statement {
	var next *time.Time
	if before.PermitAt != nil {
		next = oldAttemptCheck(*before.PermitAt, at)
	}
	return store.Statement{
		SQL:  "UPDATE attempts SET permit_at = ?, next_check_at = ? WHERE ref = ?",
		Args: []any{before.PermitAt, next, before.Ref},
	}
}

// lateStatement ends the search for an old attempt: it was executed and booked.
func lateStatement(ref string) store.Statement {
	return store.Statement{
		SQL: "UPDATE attempts SET late = ?, next_check_at = NULL WHERE ref = ?", Args: []any{true, ref},
	}
}

// settledStatement closes incidents of a sale that are over.
func settledStatement(saleID string, kind IncidentKind, at time.Time) store.Statement {
	return store.Statement{
		SQL: "UPDATE incidents SET closed_at = ?, closed_by = 'outcome' WHERE kind = ? AND sale_id = ? AND " +
			"closed_at IS NULL",
		Args: []any{at, kind, saleID},
	}
}
