package web

import (
	"slices"

	"airtill/internal/apiclient"
	"airtill/internal/staff"
	"airtill/web/counter"
	"airtill/web/frame"
	"airtill/web/static"
)

// routes is the whole surface.
func (p *Pages) routes() []frame.Route {
	return slices.Concat(p.signInRoutes(), p.counterRoutes(), p.shiftRoutes(), inOffice(p.officeRoutes()), inOffice(p.adminRoutes()), p.machineRoutes())
}

func inOffice(routes []frame.Route) []frame.Route {
	for i := range routes {
		routes[i].Office = true
	}
	return routes
}

// signInRoutes: who is there: signing in, PINs, language, practice.
func (p *Pages) signInRoutes() []frame.Route {
	return []frame.Route{
		{Method: "GET", Path: "/", Permission: frame.SignedIn, Handle: p.reports.Home, Office: true},
		{Method: "GET", Path: "/login", Permission: frame.Public, Handle: p.door.LoginForm},
		{Method: "POST", Path: "/login", Permission: frame.Public, Handle: p.door.Login, Limit: &frame.LoginLimit},
		{Method: "POST", Path: "/logout", Permission: frame.SignedIn, Handle: p.door.Logout},
		{Method: "POST", Path: "/language", Permission: frame.Public, Handle: p.door.ChooseLanguage, Limit: &frame.LanguageLimit},
		{Method: "GET", Path: frame.PasswordPath, Permission: frame.SignedIn, Handle: p.door.PasswordForm},
		{Method: "POST", Path: frame.PasswordPath, Permission: frame.SignedIn, Handle: p.door.ChangePassword, Limit: &frame.LoginLimit},
		{Method: "POST", Path: "/lock", Permission: frame.SignedIn, Handle: p.door.Lock},
		{Method: "GET", Path: "/unlock", Permission: frame.Public, Handle: p.door.UnlockForm},
		{Method: "POST", Path: "/unlock", Permission: frame.Public, Handle: p.door.Unlock, Limit: &frame.LoginLimit},
		{Method: "GET", Path: "/account", Permission: staff.Sell, Handle: p.door.Account},
		{Method: "POST", Path: "/account/pin", Permission: staff.Sell, Handle: p.door.SetPIN, Limit: &frame.LoginLimit},
		{Method: "POST", Path: "/account/trust", Permission: staff.TrustDevices, Handle: p.door.Trust},
		{Method: "POST", Path: "/account/distrust", Permission: staff.TrustDevices, Handle: p.door.Distrust},
		{Method: "POST", Path: "/practice", Permission: staff.Sell, Handle: p.door.Practice},
	}
}

// counterRoutes: selling, and what is sold.
func (p *Pages) counterRoutes() []frame.Route {
	return []frame.Route{
		{Method: "GET", Path: "/counter", Permission: staff.Sell, Handle: p.counter.Counter, Limit: &frame.LookUpLimit},
		{Method: "POST", Path: "/sales", Permission: staff.Sell, Handle: p.counter.Sell, Sells: true, Limit: &frame.SellLimit, Resume: counter.Resume},
		{Method: "GET", Path: "/sales", Permission: staff.ViewShopSales, OrElse: staff.ViewAllSales, Handle: p.sale.SalesList},
		{Method: "GET", Path: "/find", Permission: staff.ViewShopSales, OrElse: staff.ViewAllSales, Handle: p.sale.Find, Limit: &frame.FindLimit},
		{Method: "GET", Path: "/sales.csv", Permission: staff.ViewReports, Handle: p.sale.SalesFile("csv"), Limit: &frame.ExportLimit},
		{Method: "GET", Path: "/sales.xlsx", Permission: staff.ViewReports, Handle: p.sale.SalesFile("xlsx"), Limit: &frame.ExportLimit},
		{Method: "GET", Path: "/sales.pdf", Permission: staff.ViewReports, Handle: p.sale.SalesFile("pdf"), Limit: &frame.ExportLimit},
		{Method: "GET", Path: "/files/running", Permission: staff.ViewReports, OrElse: staff.Operate, Handle: p.reports.FilesUnderWay, Background: true},
		{Method: "GET", Path: "/sales/:id", Permission: staff.ViewShopSales, OrElse: staff.ViewAllSales, Handle: p.sale.Sale},
		{Method: "GET", Path: "/sales/:id/events", Permission: staff.ViewShopSales, OrElse: staff.ViewAllSales, Handle: p.sale.SaleEvents, Stream: true, Background: true},
		{Method: "GET", Path: "/sales/:id/receipt", Permission: staff.ViewShopSales, Handle: p.sale.Receipt},
		{Method: "GET", Path: "/sales/:id/receipt.escpos", Permission: staff.Sell, Handle: p.sale.ReceiptFile},
		{Method: "POST", Path: "/sales/:id/print", Permission: staff.Sell, Handle: p.sale.PrintSale},
		{Method: "POST", Path: "/sales/:id/print/:print/open", Permission: staff.Sell, Handle: p.sale.OpenPrint},
		{Method: "POST", Path: "/sales/:id/print/:print/fail", Permission: staff.Sell, Handle: p.sale.FailPrint},
		{Method: "POST", Path: "/sales/:id/reveal", Permission: staff.Sell, Handle: p.sale.Reveal, Limit: &frame.RevealLimit},
		{Method: "POST", Path: "/sales/:id/refund", Permission: staff.Refund, Handle: p.sale.Refund},
		{Method: "POST", Path: "/sales/:id/retry", Permission: staff.Sell, Handle: p.sale.Retry, Limit: &frame.SellLimit},
		{Method: "POST", Path: "/sales/:id/cancel", Permission: staff.Sell, Handle: p.sale.Cancel},
		{Method: "GET", Path: "/approvals", Permission: staff.Override, Handle: p.office.Approvals},
		{Method: "POST", Path: "/approvals/:id", Permission: staff.Override, Handle: p.office.Decide},
		{Method: "GET", Path: "/approvals/:id/events", Permission: staff.Sell, Handle: p.ApprovalEvents, Stream: true, Background: true},
		{Method: "GET", Path: "/tray/events", Permission: staff.Sell, Handle: p.TrayEvents, Stream: true, Background: true},
		{Method: "GET", Path: "/customers", Permission: staff.Sell, Handle: p.counter.Customers},
		{Method: "POST", Path: "/customers", Permission: staff.Sell, Handle: p.counter.WriteCustomer},
		{Method: "POST", Path: "/customers/forget", Permission: staff.Sell, Handle: p.counter.ForgetCustomer},
		{Method: "POST", Path: "/customers/:id", Permission: staff.Sell, Handle: p.counter.RenameCustomer},
		{Method: "POST", Path: "/favourites", Permission: staff.PinProducts, Handle: p.counter.Favourite},
	}
}

// shiftRoutes: tills, drawers and printers.
func (p *Pages) shiftRoutes() []frame.Route {
	return []frame.Route{
		{Method: "GET", Path: "/till", Permission: staff.Sell, Handle: p.shift.Tills},
		{Method: "GET", Path: "/till/printer", Permission: staff.ManageShifts, Handle: p.shift.PrinterForm},
		{Method: "POST", Path: "/till/printer", Permission: staff.ManageShifts, Handle: p.shift.SetPrinter},
		{Method: "GET", Path: "/till/printer/test", Permission: staff.Sell, OrElse: staff.Operate, Handle: p.shift.TestPrint},
		{Method: "GET", Path: "/till/printer/test.escpos", Permission: staff.Sell, OrElse: staff.Operate, Handle: p.shift.TestFile},
		{Method: "POST", Path: "/till", Permission: staff.Sell, Handle: p.shift.ChooseTill},
		{Method: "GET", Path: "/shift", Permission: staff.RunShift, Handle: p.shift.Shift},
		{Method: "GET", Path: "/shift/state", Permission: staff.RunShift, Handle: p.shift.ShiftState, Background: true},
		{Method: "POST", Path: "/shift/open", Permission: staff.RunShift, Handle: p.shift.OpenShiftForm},
		{Method: "POST", Path: "/shift/cash", Permission: staff.RunShift, Handle: p.shift.MoveCash},
		{Method: "GET", Path: "/shift/close", Permission: staff.RunShift, Handle: p.shift.CountForm},
		{Method: "POST", Path: "/shift/close", Permission: staff.RunShift, Handle: p.shift.CloseShift},
		{Method: "GET", Path: "/shift/:id", Permission: staff.RunShift, OrElse: staff.ViewReports, Handle: p.shift.ShiftReport},
		{Method: "GET", Path: "/shift/:id/receipt", Permission: staff.RunShift, OrElse: staff.ViewReports, Handle: p.shift.ShiftReceipt},
		{Method: "POST", Path: "/shift/:id/print", Permission: staff.RunShift, OrElse: staff.ViewReports, Handle: p.shift.PrintReport},
		{Method: "POST", Path: "/shift/:id/print/:print/open", Permission: staff.RunShift, OrElse: staff.ViewReports, Handle: p.shift.OpenReport},
		{Method: "POST", Path: "/shift/:id/print/:print/fail", Permission: staff.RunShift, OrElse: staff.ViewReports, Handle: p.shift.FailReport},
		{Method: "GET", Path: "/shift/:id/receipt.escpos", Permission: staff.RunShift, OrElse: staff.ViewReports, Handle: p.shift.ReportFile},
	}
}

// officeRoutes: the day, the reports and the books.
func (p *Pages) officeRoutes() []frame.Route {
	return []frame.Route{
		{Method: "GET", Path: "/shifts", Permission: staff.ManageShifts, OrElse: staff.ViewReports, Handle: p.shift.Shifts},
		{Method: "GET", Path: "/reconcile/verdicts", Permission: staff.ViewReconcile, OrElse: staff.Override, Handle: p.books.Verdicts},
		{Method: "POST", Path: "/reconcile/verdicts/:id/propose", Permission: staff.Reconcile, OrElse: staff.Override, Handle: p.books.ProposeVerdict},
		{Method: "POST", Path: "/reconcile/verdicts/:id/decide", Permission: staff.Reconcile, Handle: p.books.DecideVerdict},
		{Method: "GET", Path: "/today", Permission: staff.ViewReports, Handle: p.reports.Today, Background: true},
		{Method: "POST", Path: "/alerts/:id/seen", Permission: staff.HeedAlerts, Handle: p.AlertSeen},
		{Method: "GET", Path: "/reports/:name", Permission: staff.ViewReports, Handle: p.reports.Report},
		{Method: "GET", Path: "/admin/health", Permission: staff.Operate, OrElse: staff.ViewReports, Handle: p.office.HealthPage},
		{Method: "POST", Path: "/reports/mailings", Permission: staff.ViewReports, Handle: p.reports.ScheduleReport, Limit: &frame.ExportLimit},
		{Method: "POST", Path: "/reports/mailings/:id/delete", Permission: staff.ViewReports, Handle: p.reports.EndMailing},
		{Method: "POST", Path: "/reports/views", Permission: staff.ViewReports, Handle: p.reports.SaveView},
		{Method: "POST", Path: "/reports/views/:id/delete", Permission: staff.ViewReports, Handle: p.reports.ForgetView},
		{Method: "GET", Path: "/reconcile", Permission: staff.ViewReconcile, Handle: p.books.Reconcile},
		{Method: "POST", Path: "/reconcile/look", Permission: staff.Reconcile, Handle: p.books.Look, Limit: &frame.UpstreamLookLimit},
		{Method: "GET", Path: "/reconcile/breaks/:id", Permission: staff.ViewReconcile, Handle: p.books.BreakPage},
		{Method: "POST", Path: "/reconcile/breaks/:id/take", Permission: staff.Reconcile, Handle: p.books.TakeBreak},
		{Method: "POST", Path: "/reconcile/breaks/:id/comment", Permission: staff.Reconcile, Handle: p.books.CommentBreak},
		{Method: "POST", Path: "/reconcile/breaks/:id/agree", Permission: staff.Reconcile, Handle: p.books.AgreeBreak},
		{Method: "POST", Path: "/reconcile/breaks/:id/match", Permission: staff.Reconcile, Handle: p.books.MatchBreak},
		{Method: "POST", Path: "/reconcile/breaks/:id/propose", Permission: staff.Reconcile, Handle: p.books.ProposeBreak},
		{Method: "POST", Path: "/reconcile/breaks/:id/confirm", Permission: staff.Reconcile, Handle: p.books.ConfirmBreak},
		{Method: "POST", Path: "/reconcile/breaks/:id/decline", Permission: staff.Reconcile, Handle: p.books.DeclineBreak},
		{Method: "GET", Path: "/reconcile/outside", Permission: staff.ViewReconcile, Handle: p.books.Outside},
		{Method: "POST", Path: "/reconcile/topups", Permission: staff.TopUpFloat, Handle: p.books.EnterTopUp},
		{Method: "POST", Path: "/reconcile/topups/:id/approve", Permission: staff.TopUpFloat, Handle: p.books.ApproveTopUp},
		{Method: "POST", Path: "/reconcile/topups/:id/refuse", Permission: staff.TopUpFloat, Handle: p.books.RefuseTopUp},
		{Method: "POST", Path: "/reconcile/sellers", Permission: staff.Reconcile, Handle: p.books.DeclareSeller},
		{Method: "POST", Path: "/reconcile/sellers/approve", Permission: staff.Reconcile, Handle: p.books.ApproveSeller},
		{Method: "GET", Path: "/reconcile/drawers", Permission: staff.ViewReconcile, Handle: p.books.Drawers},
		{Method: "GET", Path: "/statements", Permission: staff.ViewReports, Handle: p.books.Statements},
		{Method: "GET", Path: "/statements/:id", Permission: staff.ViewReports, Handle: p.books.Statement},
	}
}

// adminRoutes: what the business is set up with, and who looks after it.
func (p *Pages) adminRoutes() []frame.Route {
	return []frame.Route{
		{Method: "GET", Path: "/admin/", Permission: frame.SignedIn, Handle: p.office.Admin},
		{Method: "GET", Path: "/admin/prices", Permission: staff.ManagePrices, Handle: p.office.Prices},
		{Method: "GET", Path: "/admin/prices/rule", Permission: staff.ManagePrices, Handle: p.office.PriceRule},
		{Method: "POST", Path: "/admin/prices/rule", Permission: staff.ManagePrices, Handle: p.office.SavePriceRule},
		{Method: "POST", Path: "/admin/prices/retire", Permission: staff.ManagePrices, Handle: p.office.RetireRule},
		{Method: "POST", Path: "/admin/prices/allow", Permission: staff.ManagePrices, Handle: p.office.AllowRule},
		{Method: "POST", Path: "/admin/rates", Permission: staff.ManagePrices, Handle: p.office.AddRate},
		{Method: "GET", Path: "/admin/catalogue", Permission: staff.ManageCatalogue, Handle: p.office.Catalogue},
		{Method: "GET", Path: "/admin/catalogue/texts", Permission: staff.ManageCatalogue, Handle: p.office.Untold},
		{Method: "GET", Path: "/admin/catalogue/runs/:id", Permission: staff.ManageCatalogue, Handle: p.office.SyncRun},
		{Method: "POST", Path: "/admin/catalogue/sync", Permission: staff.ManageCatalogue, Handle: p.office.SyncNow},
		{Method: "POST", Path: "/admin/catalogue/hide", Permission: staff.ManageCatalogue, Handle: p.office.HideProduct},
		{Method: "GET", Path: "/admin/counter", Permission: staff.PinProducts, OrElse: staff.ManageCatalogue, Handle: p.office.Shelf},
		{Method: "POST", Path: "/admin/counter", Permission: staff.PinProducts, OrElse: staff.ManageCatalogue, Handle: p.office.ArrangeShelf},
		{Method: "GET", Path: "/admin/people", Permission: staff.ManageUsers, Handle: p.office.People},
		{Method: "POST", Path: "/admin/people", Permission: staff.ManageUsers, Handle: p.office.AddPerson},
		{Method: "GET", Path: "/admin/people/:id", Permission: staff.ManageUsers, Handle: p.office.Person},
		{Method: "POST", Path: "/admin/people/:id", Permission: staff.ManageUsers, Handle: p.office.ChangePerson},
		{Method: "GET", Path: "/admin/shops", Permission: staff.ManageShops, Handle: p.office.ShopsPage},
		{Method: "POST", Path: "/admin/shops", Permission: staff.ManageShops, Handle: p.office.AddShop},
		{Method: "GET", Path: "/admin/shops/:id", Permission: staff.ManageShops, Handle: p.office.ShopPage},
		{Method: "POST", Path: "/admin/shops/:id", Permission: staff.ManageShops, Handle: p.office.ChangeShop},
		{Method: "GET", Path: "/admin/limits", Permission: staff.ManageShops, Handle: p.office.Limits},
		{Method: "POST", Path: "/admin/limits", Permission: staff.ManageShops, Handle: p.office.SetLimit},
		{Method: "GET", Path: "/admin/sending", Permission: staff.ManageShops, Handle: p.office.Sending},
		{Method: "POST", Path: "/admin/sending", Permission: staff.ManageShops, Handle: p.office.SetSending},
		{Method: "GET", Path: "/admin/upstream", Permission: staff.Operate, Handle: p.office.UpstreamPage},
		{Method: "GET", Path: "/admin/jobs", Permission: staff.Operate, Handle: p.office.JobsPage},
		{Method: "GET", Path: "/admin/running", Permission: staff.Operate, Handle: p.office.Running, Background: true},
		{Method: "POST", Path: "/admin/jobs/retry", Permission: staff.Operate, Handle: p.office.RetryJob},
		{Method: "GET", Path: "/admin/webhooks", Permission: staff.Operate, Handle: p.office.WebhooksPage},
		{Method: "GET", Path: "/admin/setup", Permission: staff.Operate, Handle: p.office.Setup},
		{Method: "POST", Path: "/admin/setup", Permission: staff.Operate, Handle: p.office.SettleSetup, Limit: &frame.UpstreamLookLimit},
		{Method: "GET", Path: frame.CorrectionsPath, Permission: staff.ViewReports, Handle: p.office.Corrections, Limit: &frame.ExportLimit},
		{Method: "GET", Path: "/admin/audit", Permission: staff.ViewAudit, Handle: p.office.AuditPage},
		{Method: "POST", Path: "/admin/audit", Permission: staff.ViewAudit, Handle: p.office.VerifyAudit, Limit: &frame.UpstreamLookLimit},
	}
}

// machineRoutes: what comes without a person, or without one of ours.
func (p *Pages) machineRoutes() []frame.Route {
	return []frame.Route{
		{Method: "POST", Path: frame.HookPath, Permission: frame.Public, Handle: p.machine.Hook, CrossSite: true, MaxBody: apiclient.MaxWebhookBody},
		{Method: "GET", Path: "/s/:code", Permission: frame.Public, Handle: p.sale.Status, Limit: &frame.StatusLimit},
		{Method: "GET", Path: "/s/:code/qr.png", Permission: frame.Public, Handle: p.sale.StatusQR, Limit: &frame.StatusLimit},
		{Method: "GET", Path: "/logos/:provider", Permission: frame.SignedIn, Handle: p.machine.Logo, Limit: &frame.LogoLimit, Background: true},
		{Method: "GET", Path: "/manifest.webmanifest", Permission: frame.Public, Handle: p.machine.Manifest, Background: true},
		{Method: "GET", Path: "/worker.js", Permission: frame.Public, Handle: p.machine.Worker, Background: true},
		{Method: "GET", Path: frame.OfflinePath, Permission: frame.Public, Handle: p.machine.Offline, Background: true},
		{Method: "GET", Path: static.Prefix + "*file", Permission: frame.Public, Handle: p.Static()},
		{Method: "GET", Path: "/healthz", Permission: frame.Public, Handle: p.Alive},
		{Method: "GET", Path: "/readyz", Permission: frame.Public, Handle: p.Ready},
		{Method: "GET", Path: "/metrics", Permission: frame.Public, Handle: p.ExposeMetrics},
	}
}
