package web

import (
	"slices"

	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/static"
)

// routes is the whole surface.
func (p *Pages) routes() []frame.Route {
	return slices.Concat(
		p.signInRoutes(), p.counterRoutes(), p.shiftRoutes(), inOffice(p.officeRoutes()), inOffice(p.adminRoutes()),
		p.machineRoutes(),
	)
}

// signInRoutes: who is there: signing in, PINs, language, practice.
func (p *Pages) signInRoutes() []frame.Route {
	return []frame.Route{
		get("/", signedIn, p.reports.Home, ofOffice),
		get("/login", anyone, p.door.LoginForm),
		post("/login", anyone, p.door.Login, limited(&frame.LoginLimit)),
		get("/login/second", anyone, p.door.SecondForm),
		post("/login/second", anyone, p.door.FinishLogin, limited(&frame.LoginLimit)),
		post("/login/passkey/challenge", anyone, p.door.AskPasskey, limited(&frame.LoginLimit)),
		post("/login/passkey", anyone, p.door.LoginByPasskey, limited(&frame.LoginLimit)),
		post("/login/sso", anyone, p.door.BeginSSO, limited(&frame.SSOLimit)),
		get("/login/sso", anyone, p.door.FinishSSO, limited(&frame.SSOLimit)),
		post("/logout", signedIn, p.door.Logout),
		post("/language", anyone, p.door.ChooseLanguage, limited(&frame.LanguageLimit)),
		get(frame.PasswordPath, signedIn, p.door.PasswordForm),
		post(frame.PasswordPath, signedIn, p.door.ChangePassword, limited(&frame.LoginLimit)),
		post("/lock", signedIn, p.door.Lock),
		get("/unlock", anyone, p.door.UnlockForm),
		post("/unlock", anyone, p.door.Unlock, limited(&frame.LoginLimit)),
		get("/account", signedIn, p.door.Account),
		post("/account/sessions", signedIn, p.door.EndSessions),
		get(frame.SecondPath, signedIn, p.door.Second),
		get(frame.SecondPath+"/qr.png", signedIn, p.door.SecondQR),
		post(frame.SecondPath, signedIn, p.door.ChangeSecond, limited(&frame.LoginLimit)),
		post(frame.SecondPath+"/passkeys/challenge", signedIn, p.door.BeginPasskey, limited(&frame.LoginLimit)),
		post(frame.SecondPath+"/passkeys", signedIn, p.door.ChangePasskeys, limited(&frame.LoginLimit)),
		post("/account/pin", staff.Sell, p.door.SetPIN, limited(&frame.LoginLimit)),
		post("/account/trust", staff.TrustDevices, p.door.Trust),
		post("/account/distrust", staff.TrustDevices, p.door.Distrust),
		post("/practice", staff.Sell, p.door.Practice),
	}
}

// counterRoutes: selling, and what is sold.
func (p *Pages) counterRoutes() []frame.Route {
	return []frame.Route{
		get("/counter", staff.Sell, p.counter.Counter, limited(&frame.LookUpLimit)),
		post(
			"/counter", staff.Sell, p.counter.LookUp, limited(&frame.AskLimit), reading, resumed(p.counter.Asked),
		),
		post("/sales", staff.Sell, p.counter.Sell, limited(&frame.SellLimit), selling, resumed(p.counter.Resume)),
		get("/sales", staff.ViewShopSales, p.sale.SalesList, or(staff.ViewAllSales)),
		get("/find", staff.ViewShopSales, p.sale.Find, or(staff.ViewAllSales), limited(&frame.FindLimit)),
		post("/find", staff.ViewShopSales, p.sale.Search, or(staff.ViewAllSales)),
		get("/sales.csv", staff.ViewReports, p.sale.SalesFile("csv"), limited(&frame.ExportLimit)),
		get("/sales.xlsx", staff.ViewReports, p.sale.SalesFile("xlsx"), limited(&frame.ExportLimit)),
		get("/sales.pdf", staff.ViewReports, p.sale.SalesFile("pdf"), limited(&frame.ExportLimit)),
		get("/files/running", staff.ViewReports, p.reports.FilesUnderWay, or(staff.Operate), inBackground),
		get("/sales/:id", staff.ViewShopSales, p.sale.Of(p.sale.Sale), or(staff.ViewAllSales)),
		get(
			"/sales/:id/events", staff.ViewShopSales, p.sale.Of(p.sale.SaleEvents), or(staff.ViewAllSales),
			streamed, inBackground,
		),
		get("/sales/:id/receipt", staff.ViewShopSales, p.sale.Of(p.sale.Receipt)),
		get("/sales/:id/receipt.escpos", staff.Sell, p.sale.Of(p.sale.ReceiptFile)),
		post("/sales/:id/print", staff.Sell, p.sale.Of(p.sale.PrintSale)),
		post("/sales/:id/print/:print/open", staff.Sell, p.sale.Of(p.sale.OpenPrint)),
		post("/sales/:id/print/:print/fail", staff.Sell, p.sale.Of(p.sale.FailPrint)),
		post("/sales/:id/reveal", staff.Sell, p.sale.Reveal, limited(&frame.RevealLimit)),
		post("/sales/:id/refund", staff.Refund, p.sale.Refund),
		post("/sales/:id/not-given-back", staff.Refund, p.sale.NotGivenBack),
		post("/sales/:id/retry", staff.Sell, p.sale.Retry, limited(&frame.SellLimit)),
		post("/sales/:id/cancel", staff.Sell, p.sale.Cancel),
		get("/approvals", staff.Override, p.office.Approvals),
		post("/approvals/:id", staff.Override, p.office.Decide),
		get("/approvals/:id/events", staff.Sell, p.ApprovalEvents, streamed, inBackground),
		get("/tray/events", staff.Sell, p.TrayEvents, streamed, inBackground),
		get("/customers", staff.Sell, p.counter.Customers),
		post("/customers", staff.Sell, p.counter.WriteCustomer),
		post("/customers/forget", staff.Sell, p.counter.ForgetCustomer),
		post("/customers/:id", staff.Sell, p.counter.RenameCustomer),
		post("/favourites", staff.PinProducts, p.counter.Favourite),
	}
}

// shiftRoutes: tills, drawers and printers.
func (p *Pages) shiftRoutes() []frame.Route {
	return []frame.Route{
		get("/till", staff.Sell, p.shift.Tills),
		get("/till/printer", staff.ManageShifts, p.shift.PrinterForm),
		post("/till/printer", staff.ManageShifts, p.shift.SetPrinter),
		get("/till/printer/test", staff.Sell, p.shift.TestPrint, or(staff.Operate)),
		get("/till/printer/test.escpos", staff.Sell, p.shift.TestFile, or(staff.Operate)),
		post("/till", staff.Sell, p.shift.ChooseTill),
		get("/shift", staff.RunShift, p.shift.Shift),
		get("/shift/state", staff.RunShift, p.shift.ShiftState, inBackground),
		post("/shift/open", staff.RunShift, p.shift.OpenShiftForm),
		post("/shift/cash", staff.RunShift, p.shift.MoveCash),
		get("/shift/close", staff.RunShift, p.shift.CountForm),
		post("/shift/close", staff.RunShift, p.shift.CloseShift),
		get("/shift/:id", staff.RunShift, p.shift.Of(p.shift.ShiftReport), or(staff.ViewReports)),
		get("/shift/:id/receipt", staff.RunShift, p.shift.Of(p.shift.ShiftReceipt), or(staff.ViewReports)),
		post("/shift/:id/print", staff.RunShift, p.shift.Of(p.shift.PrintReport), or(staff.ViewReports)),
		post("/shift/:id/print/:print/open", staff.RunShift, p.shift.Of(p.shift.OpenReport), or(staff.ViewReports)),
		post("/shift/:id/print/:print/fail", staff.RunShift, p.shift.Of(p.shift.FailReport), or(staff.ViewReports)),
		get("/shift/:id/receipt.escpos", staff.RunShift, p.shift.Of(p.shift.ReportFile), or(staff.ViewReports)),
	}
}

// officeRoutes: the day, the reports and the books.
func (p *Pages) officeRoutes() []frame.Route {
	return []frame.Route{
		get("/shifts", staff.ManageShifts, p.shift.Shifts, or(staff.ViewReports)),
		get("/reconcile/verdicts", staff.ViewReconcile, p.books.Verdicts, or(staff.Override)),
		post("/reconcile/verdicts/:id/propose", staff.Reconcile, p.books.ProposeVerdict, or(staff.Override)),
		post("/reconcile/verdicts/:id/decide", staff.Reconcile, p.books.DecideVerdict),
		get("/today", staff.ViewReports, p.reports.Today, inBackground),
		post("/alerts/:id/seen", staff.HeedAlerts, p.AlertSeen),
		get("/reports", staff.ViewReports, p.reports.First),
		get("/reports/:name", staff.ViewReports, p.reports.Report),
		get("/admin/health", staff.Operate, p.office.HealthPage, or(staff.ViewReports)),
		post("/reports/mailings", staff.ViewReports, p.reports.ScheduleReport, limited(&frame.ExportLimit)),
		post("/reports/mailings/:id/delete", staff.ViewReports, p.reports.EndMailing),
		post("/reports/views", staff.ViewReports, p.reports.SaveView),
		post("/reports/views/:id/delete", staff.ViewReports, p.reports.ForgetView),
		get("/reconcile", staff.ViewReconcile, p.books.Reconcile),
		post("/reconcile/look", staff.Reconcile, p.books.Look, limited(&frame.UpstreamLookLimit)),
		get("/reconcile/breaks/:id", staff.ViewReconcile, p.books.BreakPage),
		post("/reconcile/breaks/:id/take", staff.Reconcile, p.books.TakeBreak),
		post("/reconcile/breaks/:id/comment", staff.Reconcile, p.books.CommentBreak),
		post("/reconcile/breaks/:id/agree", staff.Reconcile, p.books.AgreeBreak),
		post("/reconcile/breaks/:id/reopen", staff.Reconcile, p.books.ReopenBreak),
		post("/reconcile/breaks/:id/undo", staff.Reconcile, p.books.UndoBreak),
		post("/reconcile/breaks/:id/match", staff.Reconcile, p.books.MatchBreak),
		post("/reconcile/breaks/:id/propose", staff.Reconcile, p.books.ProposeBreak),
		post("/reconcile/breaks/:id/confirm", staff.Reconcile, p.books.ConfirmBreak),
		post("/reconcile/breaks/:id/decline", staff.Reconcile, p.books.DeclineBreak),
		get("/reconcile/outside", staff.ViewReconcile, p.books.Outside),
		post("/reconcile/topups", staff.TopUpFloat, p.books.EnterTopUp),
		post("/reconcile/topups/:id/approve", staff.TopUpFloat, p.books.ApproveTopUp),
		post("/reconcile/topups/:id/refuse", staff.TopUpFloat, p.books.RefuseTopUp),
		post("/reconcile/sellers", staff.Reconcile, p.books.DeclareSeller),
		post("/reconcile/sellers/approve", staff.Reconcile, p.books.ApproveSeller),
		post("/reconcile/sellers/refuse", staff.Reconcile, p.books.RefuseSeller),
		get("/reconcile/drawers", staff.ViewReconcile, p.books.Drawers),
		get("/statements", staff.ViewReports, p.books.Statements),
		get("/statements/:id", staff.ViewReports, p.books.Statement),
	}
}

// adminRoutes: what the business is set up with, and who looks after it.
func (p *Pages) adminRoutes() []frame.Route {
	return []frame.Route{
		get("/settings", signedIn, p.office.Admin), // as its pages are called in docs and on screens
		get("/admin/", signedIn, p.office.Admin),
		get("/admin/pick", signedIn, p.office.Pick),
		get("/admin/find", signedIn, p.office.FindSetting),
		get("/admin/prices", staff.ManagePrices, p.office.Prices),
		get("/admin/prices/rule", staff.ManagePrices, p.office.PriceRule),
		post("/admin/prices/rule", staff.ManagePrices, p.office.SavePriceRule),
		post("/admin/prices/retire", staff.ManagePrices, p.office.RetireRule),
		post("/admin/prices/allow", staff.ManagePrices, p.office.AllowRule),
		post("/admin/rates", staff.ManagePrices, p.office.AddRate),
		get("/admin/catalogue", staff.ManageCatalogue, p.office.Catalogue),
		get("/admin/catalogue/products", staff.ManageCatalogue, p.office.Browse),
		get("/admin/catalogue/texts", staff.ManageCatalogue, p.office.Untold),
		get("/admin/catalogue/runs/:id", staff.ManageCatalogue, p.office.SyncRun),
		post("/admin/catalogue/sync", staff.ManageCatalogue, p.office.SyncNow),
		post("/admin/catalogue/hide", staff.ManageCatalogue, p.office.HideProduct),
		get("/admin/counter", staff.PinProducts, p.office.Shelf, or(staff.ManageCatalogue)),
		post("/admin/counter", staff.PinProducts, p.office.ArrangeShelf, or(staff.ManageCatalogue)),
		get("/admin/people", staff.ManageUsers, p.office.People),
		post("/admin/people", staff.ManageUsers, p.office.AddPerson),
		get("/admin/people/:id", staff.ManageUsers, p.office.Person),
		post("/admin/people/:id", staff.ManageUsers, p.office.ChangePerson),
		get("/admin/access", staff.ManageUsers, p.office.Access),
		post("/admin/access", staff.ManageUsers, p.office.SetAccess),
		get("/admin/customer", staff.CustomerData, p.office.CustomerData),
		post("/admin/customer", staff.CustomerData, p.office.AskCustomerData, limited(&frame.ExportLimit)),
		get("/admin/shops", staff.ManageShops, p.office.ShopsPage),
		post("/admin/shops", staff.ManageShops, p.office.AddShop),
		get("/admin/shops/:id", staff.ManageShops, p.office.ShopPage),
		post("/admin/shops/:id", staff.ManageShops, p.office.ChangeShop),
		get("/admin/limits", staff.ManageShops, p.office.Limits),
		post("/admin/limits", staff.ManageShops, p.office.SetLimit),
		get("/admin/sending", staff.ManageShops, p.office.Sending),
		post("/admin/sending", staff.ManageShops, p.office.SetSending),
		get("/admin/upstream", staff.Operate, p.office.UpstreamPage),
		get("/admin/jobs", staff.Operate, p.office.JobsPage),
		get("/admin/running", staff.Operate, p.office.Running, inBackground),
		post("/admin/jobs/retry", staff.Operate, p.office.RetryJob),
		get("/admin/webhooks", staff.Operate, p.office.WebhooksPage),
		get("/admin/setup", staff.Operate, p.office.Setup),
		post("/admin/setup", staff.Operate, p.office.SettleSetup, limited(&frame.UpstreamLookLimit)),
		get(frame.CorrectionsPath, staff.ViewReports, p.office.Corrections, limited(&frame.ExportLimit)),
		get("/admin/audit", staff.ViewAudit, p.office.AuditPage),
		post("/admin/audit", staff.ViewAudit, p.office.VerifyAudit, limited(&frame.UpstreamLookLimit)),
	}
}

// machineRoutes: what comes without a person, or without one of ours.
func (p *Pages) machineRoutes() []frame.Route {
	return []frame.Route{
		post(frame.HookPath, anyone, p.machine.Hook, fromOutside(apiclient.MaxWebhookBody)),
		get("/s/:code", anyone, p.sale.Status, limited(&frame.StatusLimit)),
		get("/s/:code/qr.png", anyone, p.sale.StatusQR, limited(&frame.StatusLimit)),
		get("/logos/:provider", signedIn, p.machine.Logo, limited(&frame.LogoLimit), inBackground),
		get("/manifest.webmanifest", anyone, p.machine.Manifest, inBackground),
		get("/worker.js", anyone, p.machine.Worker, inBackground),
		get(frame.OfflinePath, anyone, p.machine.Offline, inBackground),
		get(static.Prefix+"*file", anyone, p.Static()),
		get("/healthz", anyone, p.Alive), routeOf("HEAD", "/healthz", anyone, p.Alive, nil),
		get("/readyz", anyone, p.Ready), routeOf("HEAD", "/readyz", anyone, p.Ready, nil),
		get("/metrics", anyone, p.ExposeMetrics),
	}
}

func inOffice(routes []frame.Route) []frame.Route {
	for i := range routes {
		ofOffice(&routes[i])
	}
	return routes
}

const (
	anyone   = frame.Public
	signedIn = frame.SignedIn
)

type handler = func(*gin.Context) error

// option is what a route has beyond a path, a permission and a handler.
type option func(*frame.Route)

func get(path string, may staff.Permission, handle handler, options ...option) frame.Route {
	return routeOf("GET", path, may, handle, options)
}

func post(path string, may staff.Permission, handle handler, options ...option) frame.Route {
	return routeOf("POST", path, may, handle, options)
}

func routeOf(method, path string, may staff.Permission, handle handler, options []option) frame.Route {
	r := frame.Route{Method: method, Path: path, Permission: may, Handle: handle}
	for _, o := range options {
		o(&r)
	}
	return r
}

func or(may staff.Permission) option { return func(r *frame.Route) { r.OrElse = may } }

func limited(l *frame.Limit) option { return func(r *frame.Route) { r.Limit = l } }

func resumed(where func(*gin.Context) string) option {
	return func(r *frame.Route) { r.Resume = where }
}

// fromOutside takes what other programs post, of so many bytes.
func fromOutside(most int64) option {
	return func(r *frame.Route) { r.CrossSite, r.MaxBody = true, most }
}

// reading is a form that only asks, with what no address shall have.
func reading(r *frame.Route) { r.Reads = true }

func streamed(r *frame.Route) { r.Stream = true }

func inBackground(r *frame.Route) { r.Background = true }

func selling(r *frame.Route) { r.Sells = true }

func ofOffice(r *frame.Route) { r.Office = true }
