package books

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/reconcile"
	"airtill/internal/sheet"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

const (
	outsidePath  = "/reconcile/outside"
	outsideShown = 50
)

// Outside is GET /reconcile/outside: payments to the upstream, and other
// software on the account.
func (s *Screens) Outside(c *gin.Context) error {
	page := refusedOutside(c, s.LocaleOf(c.Request))
	u, r := frame.Present(c).User, frame.ReadsOf(c)
	topUps := frame.LoadOf(r, s.D.Reconcile.TopUps, frame.RowsOf(c, outsideShown))
	sellers := frame.Load(r, s.D.Reconcile.Sellers)
	sold := frame.LoadOf(r, s.D.Reconcile.ForeignSales, frame.RowsOf(c, outsideShown))
	page.Currency, page.Key = frame.LoadHere(r, s.AgentCurrency), s.FormKey(c.PostForm("key"))
	who := frame.LoadHere(r, func(c *gin.Context) (frame.Names, error) {
		var skus []string
		for _, t := range sold {
			skus = append(skus, t.SKUCode)
		}
		return s.namesWith(c, skus)
	})
	if r.Err != nil {
		return r.Err
	}
	if c.Query("file") != "" {
		return s.outsideFile(c, topUps, sellers, sold, who)
	}
	page.Files, page.Most = map[string][]templates.Link{}, map[string]int{}
	topUps, page.Most["topups"] = listed(topUps, outsideShown)
	sold, page.Most["sold"] = listed(sold, outsideShown)
	for _, list := range []string{"topups", "sellers", "sold"} {
		page.Files[list] = frame.FileLinks(frame.ListURL(outsidePath), url.Values{"list": {list}})
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page.Frame, page.MayTopUp, page.MayDeclare = f, u.Can(staff.TopUpFloat), u.Can(staff.Reconcile)
		for _, t := range topUps {
			page.TopUps = append(page.TopUps, topUpRow(f.Locale, t, who, u.ID))
		}
		for _, seller := range sellers {
			page.Sellers = append(page.Sellers, sellerRow(f.Locale, seller, who, u.ID))
		}
		for _, t := range sold {
			page.Sold = append(page.Sold, templates.SoldRow{
				At: f.DateTime(t.BookedAt), Ref: t.Ref, Product: who.Product(t.SKUCode), Amount: f.Amount(t.Amount()),
			})
		}
		return templates.Outside(page)
	})
}

// refusedOutside is the page with what was typed into one of its forms, and why that was refused.
func refusedOutside(c *gin.Context, l locale.Locale) (page templates.OutsidePage) {
	problem := l.Fault(frame.Refused(c))
	switch posted := c.Request.URL.Path; {
	case strings.HasPrefix(posted, "/reconcile/topups"):
		page.TopUpTrouble, page.Amount, page.Account = problem, c.PostForm("amount"), c.PostForm("account")
		page.Reference = c.PostForm("reference")
	case posted == "/reconcile/sellers":
		page.SellerTrouble, page.Prefix, page.Name = problem, c.PostForm("prefix"), c.PostForm("name")
	default: // agreeing to a seller takes nothing that is typed
		page.SellerTrouble = problem
	}
	return page
}

// outsideFile is one of the page's lists as a file (list: topups, sellers, sold).
func (s *Screens) outsideFile(
	c *gin.Context, topUps []reconcile.Paid, sellers []reconcile.Seller, sold []reconcile.ForeignTransfer,
	who frame.Names,
) error {
	l := s.FileLocale(c)
	when := sheet.Column{Name: l.Text("break.when"), Wide: 2}
	by := sheet.Column{Name: l.Text("audit.who"), Wide: 2}
	amount := sheet.Column{Name: l.Text("outside.amount"), End: true}
	currency := sheet.Column{Name: l.Text("reports.col.currency")}
	reference := sheet.Column{Name: l.Text("break.reference"), Wide: 3}
	state := sheet.Column{Name: l.Text("people.state"), Wide: 3}
	var rows [][]sheet.Cell
	switch c.Query("list") {
	case "topups":
		for _, t := range topUps {
			row := topUpRow(l, t, who, "")
			rows = append(rows, []sheet.Cell{
				sheet.Moment(t.EnteredAt, l.Zone()), sheet.Amount(t.Amount()), sheet.Text(string(t.Currency)),
				sheet.Text(row.Reference), sheet.Text(row.Paid),
				sheet.Text(who.People[t.EnteredBy]), sheet.Text(row.State),
			})
		}
		return s.SendList(
			c, l.Text("outside.topups"), "top-ups",
			[]sheet.Column{when, amount, currency, reference, {Name: l.Text("outside.paid"), Wide: 2}, by, state}, rows,
		)
	case "sellers":
		for _, seller := range sellers {
			rows = append(rows, []sheet.Cell{
				sheet.Moment(seller.EnteredAt, l.Zone()), sheet.Text(seller.Name), sheet.Text(seller.Prefix),
				sheet.Text(who.People[seller.EnteredBy]), sheet.Text(sellerRow(l, seller, who, "").State),
			})
		}
		return s.SendList(
			c, l.Text("outside.sellers"), "other-software",
			[]sheet.Column{
				when, {Name: l.Text("outside.name"), Wide: 3}, {Name: l.Text("outside.prefix"), Wide: 2}, by, state,
			},
			rows,
		)
	case "sold":
		for _, t := range sold {
			rows = append(rows, []sheet.Cell{
				sheet.Moment(t.BookedAt, l.Zone()), sheet.Text(t.Ref), sheet.Text(who.Product(t.SKUCode)),
				sheet.Amount(t.Amount()), sheet.Text(string(t.Currency)),
			})
		}
		return s.SendList(
			c, l.Text("outside.sold"), "sold-elsewhere",
			[]sheet.Column{when, reference, {Name: l.Text("break.product"), Wide: 2}, amount, currency}, rows,
		)
	}
	return fault.New(fault.NotFound, "")
}

func topUpRow(l locale.Locale, p reconcile.Paid, who frame.Names, reader string) templates.TopUpRow {
	row := templates.TopUpRow{
		ID: p.ID, Amount: l.Amount(p.Amount()), Reference: p.Reference,
		Paid: l.Text("break.account." + string(p.Account)), By: l.Text("outside.by", who.People[p.EnteredBy]),
		Waits: p.ApprovedAt == nil, Own: p.EnteredBy == reader,
	}
	switch {
	case p.SeenAt != nil:
		row.State, row.Tone, row.Icon = l.Text("outside.arrived", l.DateTime(*p.SeenAt)), "good", "circle-check"
	case p.ApprovedAt != nil:
		row.State, row.Tone, row.Icon = l.Text("outside.expected"), "info", "hourglass"
		row.Expected = true
	default:
		row.State, row.Tone, row.Icon = l.Text("outside.waits"), "wait", "hourglass"
	}
	return row
}

func sellerRow(l locale.Locale, s reconcile.Seller, who frame.Names, reader string) templates.SellerRow {
	row := templates.SellerRow{
		Prefix: s.Prefix, Name: s.Name, By: l.Text("outside.by", who.People[s.EnteredBy]), Waits: s.ApprovedAt == nil,
		Own:   s.EnteredBy == reader,
		State: l.Text("outside.declared"), Tone: "good", Icon: "circle-check",
	}
	if row.Waits {
		row.State, row.Tone, row.Icon = l.Text("outside.waits"), "wait", "hourglass"
	}
	return row
}

// EnterTopUp is POST /reconcile/topups.
func (s *Screens) EnterTopUp(c *gin.Context) error {
	currency, err := s.AgentCurrency(c)
	if err != nil {
		return err
	}
	amount, err := s.LocaleOf(c.Request).ParseAmount(c.PostForm("amount"), currency)
	reference, long := frame.TypedText(c, "reference")
	if err = cmp.Or(err, long); err == nil {
		_, err = s.D.Reconcile.EnterTopUp(
			c.Request.Context(), frame.Present(c).Actor(), s.FormKey(c.PostForm("key")), amount,
			ledger.Account(c.PostForm("account")), reference,
		)
	}
	return frame.Done(c, err, outsidePath, s.Outside)
}

// ApproveTopUp is POST /reconcile/topups/:id/approve.
func (s *Screens) ApproveTopUp(c *gin.Context) error {
	p := frame.Present(c)
	err := s.D.Reconcile.ApproveTopUp(c.Request.Context(), c.Param("id"), p.Actor(), p.Actor().SignedInAt)
	return frame.Done(c, err, outsidePath, s.Outside)
}

// RefuseTopUp is POST /reconcile/topups/:id/refuse.
func (s *Screens) RefuseTopUp(c *gin.Context) error {
	err := s.D.Reconcile.RefuseTopUp(c.Request.Context(), c.Param("id"), frame.Present(c).Actor())
	return frame.Done(c, err, outsidePath, s.Outside)
}

// DeclareSeller is POST /reconcile/sellers.
func (s *Screens) DeclareSeller(c *gin.Context) error {
	prefix, err := frame.TypedText(c, "prefix")
	name, long := frame.TypedText(c, "name")
	if err = cmp.Or(err, long); err == nil {
		err = s.D.Reconcile.DeclareSeller(c.Request.Context(), frame.Present(c).Actor(), prefix, name)
	}
	return frame.Done(c, err, outsidePath, s.Outside)
}

// ApproveSeller is POST /reconcile/sellers/approve.
func (s *Screens) ApproveSeller(c *gin.Context) error {
	p := frame.Present(c)
	err := s.D.Reconcile.ApproveSeller(c.Request.Context(), c.PostForm("prefix"), p.Actor(), p.Actor().SignedInAt)
	return frame.Done(c, err, outsidePath, s.Outside)
}

// RefuseSeller is POST /reconcile/sellers/refuse.
func (s *Screens) RefuseSeller(c *gin.Context) error {
	err := s.D.Reconcile.RefuseSeller(c.Request.Context(), c.PostForm("prefix"), frame.Present(c).Actor())
	return frame.Done(c, err, outsidePath, s.Outside)
}
