package books

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/followup"
	"airtill/internal/sales"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

const verdictsPath = "/reconcile/verdicts"

// Verdicts is GET /reconcile/verdicts: the sales that stayed open for 45 days, in the shops the user sees.
func (s *Screens) Verdicts(c *gin.Context) error {
	ctx, l := c.Request.Context(), s.LocaleOf(c.Request)
	overdue, err := s.D.FollowUp.Overdue(
		ctx, frame.Present(c).Shop.ID, frame.RowsOf(c, followup.OverdueListed),
	)
	if err != nil {
		return err
	}
	names, err := s.Names(c)
	if err != nil {
		return err
	}
	if c.Query("file") != "" {
		return s.verdictsFile(c, overdue, names)
	}
	page := templates.VerdictsPage{
		Problem: l.Fault(frame.Refused(c)),
		Files:   frame.FileLinks(frame.ListURL(verdictsPath), url.Values{}),
	}
	overdue, page.Most = listed(overdue, followup.OverdueListed)
	for _, o := range overdue {
		page.Cases = append(page.Cases, s.verdictCase(c, l, o, names))
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page.Frame = f
		return templates.Verdicts(page)
	})
}

// verdictsFile is the same list as a file.
func (s *Screens) verdictsFile(c *gin.Context, overdue []followup.Overdue, n frame.Names) error {
	l := s.FileLocale(c)
	columns := []sheet.Column{
		{Name: l.Text("facts.at"), Wide: 2},
		{Name: l.Text("verdicts.shop"), Wide: 2},
		{Name: l.Text("facts.distributorRef"), Wide: 4},
		{Name: l.Text("facts.account"), Wide: 2},
		{Name: l.Text("facts.operator"), Wide: 2},
		{Name: l.Text("sales.product"), Wide: 2},
		{Name: l.Text("facts.paid"), End: true},
		{Name: l.Text("reports.col.currency")},
		{Name: l.Text("verdicts.proposal"), Wide: 2},
		{Name: l.Text("audit.who"), Wide: 2},
		{Name: l.Text("office.reason"), Wide: 3},
	}
	var rows [][]sheet.Cell
	for _, o := range overdue {
		var verdict, by, reason string
		if p := o.Proposal; p != nil {
			verdict, by, reason = verdictText(l, p.Verdict), n.People[p.ProposedBy], p.Reason
		}
		rows = append(rows, []sheet.Cell{
			sheet.Moment(o.Sale.RecordedAt, l.Zone()), sheet.Text(n.Shops[o.Sale.ShopID]), sheet.Text(o.Sale.Ref),
			sheet.Text(frame.AccountText(l, o.Sale)), sheet.Text(o.Sale.ProviderName), sheet.Text(o.Sale.ProductText),
			sheet.Amount(o.Sale.Price()), sheet.Text(string(o.Sale.PriceCurrency)), sheet.Text(verdict), sheet.Text(by),
			sheet.Text(reason),
		})
	}
	return s.SendList(c, l.Text("verdicts.title"), "open-for-45-days", columns, rows)
}

func (s *Screens) verdictCase(
	c *gin.Context, l locale.Locale, o followup.Overdue, n frame.Names,
) templates.VerdictCase {
	u := frame.Present(c).User
	row := templates.VerdictCase{
		ID: o.Sale.ID, Shop: n.Shops[o.Sale.ShopID], Account: frame.AccountText(l, o.Sale),
		Operator: frame.SoldOperator(l, s.D.Catalog.Current(), o.Sale), Product: o.Sale.ProductText,
		Price: l.Amount(o.Sale.Price()), At: o.Sale.RecordedAt, Ref: o.Sale.Ref,
		MayOpen: u.Can(staff.Override) || u.Can(staff.Reconcile), MaySign: u.Can(staff.Reconcile),
	}
	if o.Sale.ID == c.Param("id") {
		row.Verdict, row.Reason = c.PostForm("verdict"), c.PostForm("reason")
	}
	if p := o.Proposal; p != nil {
		row.Proposal = &templates.VerdictProposal{
			ID: p.ID, Verdict: verdictText(l, p.Verdict), Reason: p.Reason, By: n.People[p.ProposedBy],
			At: p.ProposedAt, Own: p.ProposedBy == u.ID,
		}
	}
	return row
}

func verdictText(l locale.Locale, verdict sales.State) string {
	return l.Text("verdicts." + string(verdict))
}

// ProposeVerdict is POST /reconcile/verdicts/{id}/propose.
func (s *Screens) ProposeVerdict(c *gin.Context) error {
	sale, err := s.SaleOf(c)
	if err != nil {
		return err
	}
	reason, err := frame.TypedText(c, "reason")
	if err == nil {
		err = s.D.FollowUp.Propose(
			c.Request.Context(), frame.Present(c).Actor(), sale.ID, sales.State(c.PostForm("verdict")), reason,
		)
	}
	return frame.Done(c, err, verdictsPath, s.Verdicts)
}

// DecideVerdict is POST /reconcile/verdicts/{id}/decide: the second person.
func (s *Screens) DecideVerdict(c *gin.Context) error {
	p := frame.Present(c)
	by := followup.Signer{Actor: p.Actor(), Fresh: p.Fresh(s.D.Now())}
	err := s.D.FollowUp.Decide(
		c.Request.Context(), by, c.Param("id"), c.PostForm("proposal"), c.PostForm("agree") != "",
	)
	return frame.Done(c, err, verdictsPath, s.Verdicts)
}
