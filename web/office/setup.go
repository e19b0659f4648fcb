package office

import (
	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/firstrun"
	"airtill/web/frame"
	"airtill/web/templates"
)

// Setup is GET /admin/setup: what a new till still lacks, step by step.
func (s *Screens) Setup(c *gin.Context) error {
	steps, err := s.D.Setup.Steps(c.Request.Context())
	if err != nil {
		return err
	}
	p := s.newOffice(c, "/admin/setup")
	var all []templates.SetupStep
	done, next := 0, true
	for _, state := range steps {
		step, err := s.setupStep(c, p, state)
		if err != nil {
			return err
		}
		if step.Open {
			step.Next, next = next, false
		} else {
			done++
		}
		all = append(all, step)
	}
	progress := p.l.Text("setup.progress", p.l.Number(int64(done)), p.l.Number(int64(len(steps))))
	if done == len(steps) {
		progress = p.l.Text("setup.complete")
	}
	return s.showOffice(c, p, templates.OfficeSetup(&p.Office, progress, all))
}

// setupStep is one step: its state, what to do, where.
func (s *Screens) setupStep(c *gin.Context, p *office, state firstrun.State) (templates.SetupStep, error) {
	name := "setup." + string(state.Step)
	step := templates.SetupStep{
		Step: string(state.Step), Open: state.Open(), Name: p.l.Text(name),
		State: p.l.Text("setup.todo"),
	}
	switch {
	case state.Done:
		step.State = p.l.Text("setup.done")
	case state.LeftOut:
		step.State = p.l.Text("setup.leftOut")
	}
	lead := func(text, url string) { step.Link = &templates.Link{Text: p.l.Text(text), URL: url} }
	act := func(text, does string) {
		step.Acts = append(step.Acts, templates.SetupAct{Text: p.l.Text(text), Does: does})
	}
	note := name + "Note"
	switch state.Step {
	case firstrun.Credentials:
		balance, err := s.D.Reconcile.LastBalance(c.Request.Context())
		if err != nil {
			return step, err
		}
		if balance != nil {
			step.Note = p.l.Text("setup.balance", p.l.Amount(balance.Amount()), p.l.DateTime(balance.ToldAt))
		}
		act("setup.credentialsCheck", "check")
	case firstrun.Webhook:
		step.Note = p.l.Text(note, s.Public.String()+frame.HookPath)
		act("setup.webhookCheck", "check")
	case firstrun.Catalogue:
		lead("office.catalogue", "/admin/catalogue")
	case firstrun.Shop, firstrun.Till:
		lead("office.shops", "/admin/shops")
	case firstrun.People:
		lead("office.people", "/admin/people")
	case firstrun.Printer:
		lead("setup.printerTest", "/till/printer/test")
		if !state.Done {
			act("setup.printerCheck", "check")
		}
	case firstrun.Practice:
		if !s.D.Practice {
			note = "setup.practiceOff"
		}
	}
	if step.Note == "" {
		step.Note = p.l.Text(note)
	}
	if state.Optional && state.Open() {
		act("setup.leaveOut", "leave-out")
	}
	return step, nil
}

// SettleSetup is POST /admin/setup (fields step, act): it tries what can be tried, and stores what somebody
// says of the rest.
func (s *Screens) SettleSetup(c *gin.Context) error {
	ctx, by, step := c.Request.Context(), frame.Present(c).Actor(), firstrun.Step(c.PostForm("step"))
	var err error
	switch {
	case c.PostForm("act") == "leave-out":
		err = s.D.Setup.LeaveOut(ctx, by, step)
	case step == firstrun.Credentials:
		if _, failed := s.D.Reconcile.ReadBalance(ctx); failed != nil {
			err = apiclient.Told(failed, fault.Conflict, "setup.credentials")
		}
	case step == firstrun.Webhook:
		if failed := s.D.Webhook.CheckKeys(ctx); failed != nil {
			err = fault.Wrap(failed, fault.Conflict, "setup.webhook-keys")
			break
		}
		fallthrough
	default:
		err = s.D.Setup.Check(ctx, by, step)
	}
	return s.conclude(c, err, "/admin/setup", "settled", s.Setup)
}
