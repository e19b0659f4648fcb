package reports

import (
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sheet"
)

// column is one figure of a report.
type column struct {
	name string
	cost bool // only for those who may see costs
	of   func(report.Row) sheet.Cell
	size func(report.Row) int64 // for drawing and sorting
	sums []string               // its measures; none of drawers and stops
	till bool                   // an amount in the till's currency: two currencies cannot be sorted by it
	bad  bool                   // the less of it, the better
}

func counted(name string, of func(report.Row) int64, sums ...string) column {
	return column{name: name, of: func(r report.Row) sheet.Cell { return sheet.Whole(of(r)) }, size: of, sums: sums}
}

// unwanted is a count of what should not happen.
func unwanted(name string, of func(report.Row) int64, sums ...string) column {
	c := counted(name, of, sums...)
	c.bad = true
	return c
}

func paid(name string, of func(report.Row) int64, sums ...string) column {
	amount := func(r report.Row) sheet.Cell { return sheet.Amount(money.Of(of(r), r.PriceCurrency)) }
	return column{name: name, of: amount, size: of, sums: sums, till: true}
}

func spent(name string, of func(report.Row) int64, sums ...string) column {
	return column{
		name: name, cost: true,
		of: func(r report.Row) sheet.Cell { return sheet.Amount(money.Of(of(r), r.SendCurrency)) }, size: of,
		sums: sums,
	}
}

func earned(name string, of func(report.Row) int64, sums ...string) column {
	c := paid(name, of, sums...)
	c.cost = true
	return c
}

// rated is a share in thousandths; of nothing there is none.
func rated(name string, of func(report.Row) (int64, bool), sums ...string) column {
	size := func(r report.Row) int64 { n, _ := of(r); return n }
	return column{name: name, size: size, sums: sums, of: func(r report.Row) sheet.Cell {
		if n, ok := of(r); ok {
			return sheet.Share(n)
		}
		return sheet.Text("")
	}}
}

var (
	colSales    = counted("reports.col.sales", func(r report.Row) int64 { return r.Sales }, "sales")
	colComplete = counted("reports.col.complete", func(r report.Row) int64 { return r.Complete }, "complete")
	colFailed   = unwanted("reports.col.failed", func(r report.Row) int64 { return r.Failed }, "failed")
	colSuccess  = rated(
		"reports.col.success", func(r report.Row) (int64, bool) { return r.SuccessPerMille() }, "complete", "failed",
	)
	colOutcome = column{
		name: "reports.col.outcome", sums: []string{"outcome_ms", "complete", "failed"},
		size: func(r report.Row) int64 { n, _ := r.OutcomeMillis(); return n },
		of: func(r report.Row) sheet.Cell {
			n, _ := r.OutcomeMillis()
			return sheet.Tenths((n + 50) / 100)
		},
	}
	colPaid     = paid("reports.col.paid", func(r report.Row) int64 { return r.PriceMicros }, "price_micros")
	colRefunded = paid("reports.col.refunded", func(r report.Row) int64 { return r.RefundedMicros }, "refunded_micros")
	colDue      = paid("reports.col.due", func(r report.Row) int64 { return r.DueMicros }, "due_micros")
	colMarkUp   = earned("reports.col.markUp", func(r report.Row) int64 { return r.MarkUpMicros }, "mark_up_micros")
	colMargin   = earned("reports.col.margin", func(r report.Row) int64 { return r.MarginMicros }, "margin_micros")
	colSent     = spent("reports.col.sent", func(r report.Row) int64 { return r.SendMicros }, "send_micros")
	colUsed     = spent(
		"statement.float", func(r report.Row) int64 { return r.SendMicros + r.DistMicros - r.CommissionMicros },
		"send_micros", "dist_micros", "commission_micros",
	)
	colCommission = spent(
		"reports.col.commission", func(r report.Row) int64 { return r.CommissionMicros }, "commission_micros",
	)
	colExpected = spent("reports.col.expected", func(r report.Row) int64 { return r.ExpectedMicros }, "expected_micros")
	colShort    = spent(
		"reports.col.shortfall", func(r report.Row) int64 { return r.CommissionMicros - r.ExpectedMicros },
		"commission_micros", "expected_micros",
	)
	colFees = spent("reports.col.fees", func(r report.Row) int64 { return r.DistMicros }, "dist_micros")
)

// Of shifts and of what limits stopped.
var (
	colShifts       = counted("reports.col.shifts", func(r report.Row) int64 { return r.Drawer.Shifts })
	colOpening      = paid("reports.col.opening", func(r report.Row) int64 { return r.Drawer.OpeningMicros })
	colTaken        = paid("reports.col.taken", func(r report.Row) int64 { return r.Drawer.TakenMicros() })
	colPaidIn       = paid("reports.col.paidIn", func(r report.Row) int64 { return r.Drawer.PaidInMicros })
	colDropped      = paid("reports.col.dropped", func(r report.Row) int64 { return r.Drawer.DroppedMicros })
	colExpenses     = paid("reports.col.expenses", func(r report.Row) int64 { return r.Drawer.ExpenseMicros })
	colExpectedCash = paid("reports.col.expectedCash", func(r report.Row) int64 { return r.Drawer.ExpectedMicros })
	colCounted      = paid("reports.col.counted", func(r report.Row) int64 { return r.Drawer.CountedMicros })
	colDifference   = paid("reports.col.difference", func(r report.Row) int64 { return r.Drawer.DifferenceMicros() })
	colOff          = counted("reports.col.off", func(r report.Row) int64 { return r.Drawer.Off })
	colStopped      = unwanted("reports.col.stopped", func(r report.Row) int64 { return r.Stop.Stopped })
	colAllowed      = counted("reports.col.allowed", func(r report.Row) int64 { return r.Stop.Allowed })
	colHeld         = paid("reports.col.held", func(r report.Row) int64 { return r.Stop.HeldMicros })
)
