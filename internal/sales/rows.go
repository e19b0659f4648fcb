package sales

import (
	"strings"
	"time"

	"airtill/internal/store"
)

// updateStatement writes what may change in a sale if the row is as it was read: the compare-and-set that
// makes a permit unique.
func updateStatement(before, after *Sale) store.Statement {
	columns := []struct {
		name  string
		value any
	}{
		{"fulfilment", after.Fulfilment},
		{"cash", after.Cash},
		{"send_mode", after.SendMode},
		{"attempt", after.Attempt},
		{"ref", after.Ref},
		{"permits", after.Permits},
		{"attempt_at", after.AttemptAt},
		{"permit_at", after.PermitAt},
		{"permit_by", after.PermitBy},
		{"hold", after.Hold},
		{"hold_micros", after.HoldMicros},
		{"receivable_micros", after.ReceivableMicros},
		{"retry_at", after.RetryAt},
		{"stopped", after.Stopped},
		{"reason_code", after.ReasonCode},
		{"reason_context", after.ReasonContext},
		{"transfer_ref", after.TransferRef},
		{"provider_ref", after.ProviderRef},
		{"actual_send_micros", after.ActualSendMicros},
		{"actual_fee_micros", after.ActualFeeMicros},
		{"actual_dist_micros", after.ActualDistMicros},
		{"actual_receive_micros", after.ActualReceiveMicros},
		{"actual_ex_tax_micros", after.ActualExTaxMicros},
		{"commission_micros", after.CommissionMicros},
		{"sealed_receipt", after.SealedReceipt},
		{"pin_hint", after.PINHint},
		{"serial_hash", after.SerialHash},
		{"next_check_at", after.NextCheckAt},
		{"open_seen_at", after.OpenSeenAt},
		{"looks", after.Looks},
		{"claim_at", after.ClaimAt},
		{"empty_looks", after.EmptyLooks},
		{"first_empty_at", after.FirstEmptyAt},
		{"last_empty_at", after.LastEmptyAt},
		{"reversal_seen_at", after.ReversalSeenAt},
		{"by_absence", after.ByAbsence},
		{"events", after.Events},
		{"final_at", after.FinalAt},
		{"updated_at", after.UpdatedAt},
	}
	var set []string
	var args []any
	for _, c := range columns {
		set = append(set, c.name+" = ?")
		args = append(args, c.value)
	}
	return store.Statement{
		SQL:  "UPDATE sales SET " + strings.Join(set, ", ") + " WHERE id = ? AND events = ? AND fulfilment = ?",
		Args: append(args, before.ID, before.Events, before.Fulfilment),
	}
}

func eventStatement(before, after *Sale, o Observation) store.Statement {
	return store.Statement{
		SQL: "INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note) " +
			"SELECT ?,?,?,?,?,?,?,?,?,?",
		Args: []any{
			after.ID, after.Events, o.At, o.Cause, o.Source, after.Ref, before.position(), after.position(), o.Actor,
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
