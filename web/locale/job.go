package locale

import "github.com/riverqueue/river/rivertype"

// jobNames are the keys of what jobs are called, by their kinds.
var jobNames = map[string]string{
	"alert.look":        "jobs.name.alertLook",
	"alert.send":        "jobs.name.alertSend",
	"approval.sweep":    "jobs.name.approvalSweep",
	"catalog.forget":    "jobs.name.catalogForget",
	"catalog.status":    "jobs.name.catalogStatus",
	"catalog.sync":      "jobs.name.catalogSync",
	"catalog.sync_all":  "jobs.name.catalogSync",
	"customer.sweep":    "jobs.name.customerSweep",
	"followup.sweep":    "jobs.name.reconcileSweep",
	"ledger.checkpoint": "jobs.name.ledgerCheckpoint",
	"reconcile.balance": "jobs.name.reconcileBalance",
	"reconcile.quiet":   "jobs.name.reconcileQuiet",
	"reconcile.records": "jobs.name.reconcileRecords",
	"report.deliver":    "jobs.name.reportDeliver",
	"report.refresh":    "jobs.name.reportRefresh",
	"sales.purge":       "jobs.name.salesPurge",
	"staff.sweep":       "jobs.name.staffSweep",
	"statement.close":   "jobs.name.statementClose",
	"verify.nightly":    "jobs.name.verifyNightly",
}

// Job is what a job of a kind is called; one that is no more by its kind.
func (l Locale) Job(kind string) string {
	if key, known := jobNames[kind]; known {
		return l.Text(key)
	}
	return kind
}

// jobStates are the keys of River's states of a job.
var jobStates = map[rivertype.JobState]string{
	rivertype.JobStateAvailable: "jobs.state.available",
	rivertype.JobStateCancelled: "jobs.state.cancelled",
	rivertype.JobStateCompleted: "jobs.state.completed",
	rivertype.JobStateDiscarded: "jobs.state.discarded",
	rivertype.JobStatePending:   "jobs.state.pending",
	rivertype.JobStateRetryable: "jobs.state.retryable",
	rivertype.JobStateRunning:   "jobs.state.running",
	rivertype.JobStateScheduled: "jobs.state.scheduled",
}

// JobState is what River's state of a job is called.
func (l Locale) JobState(state rivertype.JobState) string { return l.Text(jobStates[state]) }
