package locale

// englishJobs are what jobs and their states are called.
var englishJobs = map[string]string{
	"jobs.name.alertLook":        "Looking for what somebody must be told",
	"jobs.name.alertSend":        "Sending an alert",
	"jobs.name.approvalSweep":    "Clearing away old requests to managers",
	"jobs.name.catalogForget":    "Clearing away old look-ups and syncs",
	"jobs.name.catalogStatus":    "Asking which providers are in trouble",
	"jobs.name.catalogSync":      "Synchronising the catalogue",
	"jobs.name.customerSweep":    "Forgetting customers who no longer come",
	"jobs.name.ledgerCheckpoint": "Adding up the books",
	"jobs.name.reconcileBalance": "Asking for the float's balance",
	"jobs.name.reconcileQuiet":   "Comparing the balance with the books",
	"jobs.name.reconcileRecords": "Comparing sales and drawers with the records",
	"jobs.name.reconcileSweep":   "Finding out what became of open sales",
	"jobs.name.reportDeliver":    "Sending reports by e-mail",
	"jobs.name.reportRefresh":    "Keeping the reports up to date",
	"jobs.name.salesPurge":       "Clearing away receipts and PINs past their time",
	"jobs.name.staffSweep":       "Ending old sessions",
	"jobs.name.statementClose":   "Closing the statements of days that are over",
	"jobs.name.verifyNightly":    "Checking the books at night",

	"jobs.state.available": "Waits its turn",
	"jobs.state.cancelled": "Called off",
	"jobs.state.completed": "Done",
	"jobs.state.discarded": "Given up on",
	"jobs.state.pending":   "On hold",
	"jobs.state.retryable": "To be tried again",
	"jobs.state.running":   "Running",
	"jobs.state.scheduled": "Due later",
}
