package web

import (
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/templates"
)

// setup is GET /admin/setup: what a new till still lacks, each with its place.
func (s *Server) setup(c *gin.Context) error { return s.showSetup(c, nil) }

func (s *Server) showSetup(c *gin.Context, refused error) error {
	ctx := c.Request.Context()
	p := s.newOffice(c, "/admin/setup", refused)
	balance, err := s.d.Reconcile.LastBalance(ctx)
	if err != nil {
		return err
	}
	shops, err := s.d.Staff.Shops(ctx)
	if err != nil {
		return err
	}
	users, err := s.d.Staff.Users(ctx)
	if err != nil {
		return err
	}
	var sold, hooked bool
	db := s.d.DB.Read(ctx)
	if err := db.Raw("SELECT EXISTS (SELECT 1 FROM sales)").Scan(&sold).Error; err != nil {
		return err
	}
	if err := db.Raw("SELECT EXISTS (SELECT 1 FROM webhooks)").Scan(&hooked).Error; err != nil {
		return err
	}
	sellers := false
	for _, u := range users {
		sellers = sellers || u.Can(staff.Sell)
	}
	t := &templates.OfficeTable{Columns: []string{p.l.Text("setup.step"), p.l.Text("people.state"), p.l.Text("setup.where")}}
	add := func(done bool, name, note, url string) {
		state := templates.OfficeCell{Text: p.l.Text("setup.todo"), Tone: "wait"}
		if done {
			state = templates.OfficeCell{Text: p.l.Text("setup.done"), Tone: "good"}
		}
		t.Rows = append(t.Rows, templates.OfficeRow{Cells: []templates.OfficeCell{{Text: p.l.Text(name)}, state, {Text: note, URL: url}}})
	}
	credentials := p.l.Text("setup.credentialsNote")
	if balance != nil {
		credentials = p.l.Text("setup.balance", p.l.Amount(balance.Amount()), p.l.DateTime(balance.ToldAt))
	}
	add(balance != nil, "setup.credentials", credentials, "")
	add(!s.d.Catalog.Current().Empty(), "setup.catalogue", p.l.Text("office.catalogue"), "/admin/catalogue")
	add(hooked, "setup.webhook", s.public.String()+"/webhooks/transfers", "/admin/webhooks")
	add(len(shops) > 0, "setup.shop", p.l.Text("office.shops"), "/admin/shops")
	add(sellers, "setup.people", p.l.Text("office.people"), "/admin/people")
	add(sold, "setup.sale", p.l.Text("setup.saleNote"), "")
	p.add(templates.OfficePart{Title: p.l.Text("office.setup"), Note: p.l.Text("setup.note"), Table: t, Acts: []templates.OfficeAct{{Text: p.l.Text("setup.check"), Action: "/admin/setup"}}})
	return s.showOffice(c, p)
}

// checkSetup is POST /admin/setup: it asks the upstream with the credentials that
// are there.
func (s *Server) checkSetup(c *gin.Context) error {
	_, err := s.d.Reconcile.ReadBalance(c.Request.Context())
	if err != nil {
		err = fault.Wrap(err, fault.Conflict, "The transfer service did not answer with these credentials. Check them, and its address.")
	}
	return s.conclude(c, err, "/admin/setup", "asked", s.showSetup)
}
