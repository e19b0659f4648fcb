// Package firstrun knows the steps from an empty till to its first customer, and which are done. It stores
// only what the rest of the database cannot show.
package firstrun

import (
	"context"
	"fmt"
	"slices"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Step is one thing a till needs before its first customer.
type Step string

// The steps, in order.
const (
	Credentials Step = "credentials" // of the transfer service
	Webhook     Step = "webhook"     // its keys and where it posts to
	Catalogue   Step = "catalogue"
	Shop        Step = "shop"
	Till        Step = "till"
	People      Step = "people" // somebody who sells
	Printer     Step = "printer"
	Practice    Step = "practice" // a sale, to nobody or to a customer
)

// shown is, for each step in order, the query that shows it done.
var shown = []struct {
	step     Step
	query    string
	optional bool // may be left out: not every business needs it
}{
	{Credentials, "SELECT EXISTS (SELECT 1 FROM upstream_balances)", false},
	{Webhook, "SELECT EXISTS (SELECT 1 FROM webhooks)", true},
	{Catalogue, "SELECT EXISTS (SELECT 1 FROM products)", false},
	{Shop, "SELECT EXISTS (SELECT 1 FROM shops)", false},
	{Till, "SELECT EXISTS (SELECT 1 FROM tills)", false},
	{People, "SELECT EXISTS (SELECT 1 FROM users WHERE shop_id IS NOT NULL AND disabled_at IS NULL)", false},
	{
		Printer,
		"SELECT EXISTS (SELECT 1 FROM printers) OR EXISTS (SELECT 1 FROM prints WHERE opened_at IS NOT NULL AND " +
			"failed_at IS NULL)",
		true,
	},
	{Practice, "SELECT EXISTS (SELECT 1 FROM sales WHERE fulfilment = 'complete')", true},
}

// State is a step and whether it is done.
type State struct {
	Step     Step
	Done     bool
	LeftOut  bool // somebody said it is not needed
	Optional bool // whether somebody may
}

// Open says whether the step is still to do.
func (s State) Open() bool { return !s.Done && !s.LeftOut }

// Deps is what the Service needs.
type Deps struct {
	DB    *store.DB
	Audit *audit.Log
	Now   func() time.Time
}

// Service reads and settles the steps.
type Service struct{ d Deps }

// New returns a service.
func New(d Deps) *Service { return &Service{d} }

// Steps returns every step, in order.
func (s *Service) Steps(ctx context.Context) ([]State, error) {
	var said []struct{ Step, Said string }
	if err := s.d.DB.Read(ctx).Raw("SELECT step, said FROM setup_steps").Scan(&said).Error; err != nil {
		return nil, fmt.Errorf("read setup: %w", err)
	}
	var all []State
	for _, known := range shown {
		state := State{Step: known.step, Optional: known.optional}
		if err := s.d.DB.Read(ctx).Raw(known.query).Scan(&state.Done).Error; err != nil {
			return nil, fmt.Errorf("read setup step %s: %w", known.step, err)
		}
		for _, row := range said {
			if Step(row.Step) == known.step {
				state.Done = state.Done || row.Said == "checked"
				state.LeftOut = row.Said == "left-out"
			}
		}
		all = append(all, state)
	}
	return all, nil
}

// Complete says whether no step is left to do.
func (s *Service) Complete(ctx context.Context) (bool, error) {
	steps, err := s.Steps(ctx)
	return err == nil && !slices.ContainsFunc(steps, State.Open), err
}

// Check notes that somebody has seen a step work.
func (s *Service) Check(ctx context.Context, by audit.Actor, step Step) error {
	return s.settle(ctx, by, step, audit.SetupChecked, "checked")
}

// LeaveOut notes that a step is not needed here. It fails with fault.Invalid for a step that selling depends
// on.
func (s *Service) LeaveOut(ctx context.Context, by audit.Actor, step Step) error {
	return s.settle(ctx, by, step, audit.SetupLeftOut, "left-out")
}

func (s *Service) settle(ctx context.Context, by audit.Actor, step Step, act audit.Act, said string) error {
	for _, known := range shown {
		if known.step == step && known.optional {
			return s.note(ctx, by, step, act, said)
		}
	}
	return fault.New(fault.Invalid, "setup.step-needed")
}

func (s *Service) note(ctx context.Context, by audit.Actor, step Step, act audit.Act, said string) error {
	return fault.Doing("settle setup step", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		settled := tx.Exec(`INSERT INTO setup_steps (step, said, settled_by, settled_at) VALUES (?,?,?,?)
			ON CONFLICT (step) DO UPDATE
			SET said = excluded.said, settled_by = excluded.settled_by, settled_at = excluded.settled_at`,
			string(step), said, by.UserID, store.Moment(s.d.Now()))
		return s.d.Audit.WriteIf(ctx, tx, settled, audit.Entry{
			Actor: by, Act: act, Subject: audit.Of(audit.Setup, string(step)),
		})
	}))
}
