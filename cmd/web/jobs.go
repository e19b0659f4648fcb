package main

import "airtill/internal/jobs"

// buildJobs gathers the work of every room.
func (s *shop) buildJobs() (err error) {
	var all []jobs.Job
	for _, room := range []interface{ Jobs() []jobs.Job }{
		s.catalog, s.sales, s.reconcile, s.report, s.statements, s.invariants, s.customers, s.approvals, s.alerts, s.staff,
	} {
		all = append(all, room.Jobs()...)
	}
	s.jobs, err = jobs.New(jobs.Deps{DB: s.db, Process: s.process, Metrics: s.metrics, Log: s.log, Now: now}, all...)
	return err
}
