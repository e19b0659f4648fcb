package web

import (
	"slices"

	"airtill/internal/apiclient"
	"airtill/internal/staff"
	"airtill/web/static"
)

// routes is the whole surface.
func (s *Server) routes() []route {
	return slices.Concat(s.signInRoutes(), s.counterRoutes(), s.shiftRoutes(), inOffice(s.officeRoutes()), inOffice(s.adminRoutes()), s.machineRoutes())
}

func inOffice(routes []route) []route {
	for i := range routes {
		routes[i].office = true
	}
	return routes
}

// signInRoutes: who is there: signing in, PINs, language, practice.
func (s *Server) signInRoutes() []route {
	return []route{
		{method: "GET", path: "/", permission: signedIn, handle: s.home, office: true},
		{method: "GET", path: "/login", permission: public, handle: s.loginForm},
		{method: "POST", path: "/login", permission: public, handle: s.login, limit: &loginLimit},
		{method: "POST", path: "/logout", permission: signedIn, handle: s.logout},
		{method: "POST", path: "/language", permission: public, handle: s.chooseLanguage, limit: &languageLimit},
		{method: "GET", path: passwordPath, permission: signedIn, handle: s.passwordForm},
		{method: "POST", path: passwordPath, permission: signedIn, handle: s.changePassword, limit: &loginLimit},
		{method: "POST", path: "/lock", permission: signedIn, handle: s.lock},
		{method: "GET", path: "/unlock", permission: public, handle: s.unlockForm},
		{method: "POST", path: "/unlock", permission: public, handle: s.unlock, limit: &loginLimit},
		{method: "GET", path: "/account", permission: staff.Sell, handle: s.account},
		{method: "POST", path: "/account/pin", permission: staff.Sell, handle: s.setPIN, limit: &loginLimit},
		{method: "POST", path: "/account/trust", permission: staff.TrustDevices, handle: s.trust},
		{method: "POST", path: "/account/distrust", permission: staff.TrustDevices, handle: s.distrust},
		{method: "POST", path: "/practice", permission: staff.Sell, handle: s.practice},
	}
}

// counterRoutes: selling, and what is sold.
func (s *Server) counterRoutes() []route {
	return []route{
		{method: "GET", path: "/counter", permission: staff.Sell, handle: s.counter, limit: &lookUpLimit},
		{method: "POST", path: "/sales", permission: staff.Sell, handle: s.sell, sells: true, limit: &sellLimit, resume: resume},
		{method: "GET", path: "/sales", permission: staff.ViewShopSales, orElse: staff.ViewAllSales, handle: s.salesList},
		{method: "GET", path: "/find", permission: staff.ViewShopSales, orElse: staff.ViewAllSales, handle: s.find, limit: &findLimit},
		{method: "GET", path: "/sales.csv", permission: staff.ViewReports, handle: s.salesFile("csv"), limit: &exportLimit},
		{method: "GET", path: "/sales.xlsx", permission: staff.ViewReports, handle: s.salesFile("xlsx"), limit: &exportLimit},
		{method: "GET", path: "/sales.pdf", permission: staff.ViewReports, handle: s.salesFile("pdf"), limit: &exportLimit},
		{method: "GET", path: "/files/running", permission: staff.ViewReports, orElse: staff.Operate, handle: s.filesUnderWay, background: true},
		{method: "GET", path: "/sales/:id", permission: staff.ViewShopSales, orElse: staff.ViewAllSales, handle: s.sale},
		{method: "GET", path: "/sales/:id/events", permission: staff.ViewShopSales, orElse: staff.ViewAllSales, handle: s.saleEvents, stream: true, background: true},
		{method: "GET", path: "/sales/:id/receipt", permission: staff.ViewShopSales, handle: s.receipt},
		{method: "GET", path: "/sales/:id/receipt.escpos", permission: staff.Sell, handle: s.receiptFile},
		{method: "POST", path: "/sales/:id/print", permission: staff.Sell, handle: s.printSale},
		{method: "POST", path: "/sales/:id/print/:print/open", permission: staff.Sell, handle: s.openPrint},
		{method: "POST", path: "/sales/:id/print/:print/fail", permission: staff.Sell, handle: s.failPrint},
		{method: "POST", path: "/sales/:id/reveal", permission: staff.Sell, handle: s.reveal, limit: &revealLimit},
		{method: "POST", path: "/sales/:id/refund", permission: staff.Refund, handle: s.refund},
		{method: "POST", path: "/sales/:id/retry", permission: staff.Sell, handle: s.retry, limit: &sellLimit},
		{method: "POST", path: "/sales/:id/cancel", permission: staff.Sell, handle: s.cancel},
		{method: "GET", path: "/approvals", permission: staff.Override, handle: s.approvals},
		{method: "POST", path: "/approvals/:id", permission: staff.Override, handle: s.decide},
		{method: "GET", path: "/approvals/:id/events", permission: staff.Sell, handle: s.approvalEvents, stream: true, background: true},
		{method: "GET", path: "/tray/events", permission: staff.Sell, handle: s.trayEvents, stream: true, background: true},
		{method: "GET", path: "/customers", permission: staff.Sell, handle: s.customers},
		{method: "POST", path: "/customers", permission: staff.Sell, handle: s.writeCustomer},
		{method: "POST", path: "/customers/forget", permission: staff.Sell, handle: s.forgetCustomer},
		{method: "POST", path: "/customers/:id", permission: staff.Sell, handle: s.renameCustomer},
		{method: "POST", path: "/favourites", permission: staff.PinProducts, handle: s.favourite},
	}
}

// shiftRoutes: tills, drawers and printers.
func (s *Server) shiftRoutes() []route {
	return []route{
		{method: "GET", path: "/till", permission: staff.Sell, handle: s.tills},
		{method: "GET", path: "/till/printer", permission: staff.ManageShifts, handle: s.printerForm},
		{method: "POST", path: "/till/printer", permission: staff.ManageShifts, handle: s.setPrinter},
		{method: "GET", path: "/till/printer/test", permission: staff.Sell, orElse: staff.Operate, handle: s.testPrint},
		{method: "GET", path: "/till/printer/test.escpos", permission: staff.Sell, orElse: staff.Operate, handle: s.testFile},
		{method: "POST", path: "/till", permission: staff.Sell, handle: s.chooseTill},
		{method: "GET", path: "/shift", permission: staff.RunShift, handle: s.shift},
		{method: "GET", path: "/shift/state", permission: staff.RunShift, handle: s.shiftState, background: true},
		{method: "POST", path: "/shift/open", permission: staff.RunShift, handle: s.openShiftForm},
		{method: "POST", path: "/shift/cash", permission: staff.RunShift, handle: s.moveCash},
		{method: "GET", path: "/shift/close", permission: staff.RunShift, handle: s.countForm},
		{method: "POST", path: "/shift/close", permission: staff.RunShift, handle: s.closeShift},
		{method: "GET", path: "/shift/:id", permission: staff.RunShift, orElse: staff.ViewReports, handle: s.shiftReport},
		{method: "GET", path: "/shift/:id/receipt", permission: staff.RunShift, orElse: staff.ViewReports, handle: s.shiftReceipt},
		{method: "POST", path: "/shift/:id/print", permission: staff.RunShift, orElse: staff.ViewReports, handle: s.printReport},
		{method: "POST", path: "/shift/:id/print/:print/open", permission: staff.RunShift, orElse: staff.ViewReports, handle: s.openReport},
		{method: "POST", path: "/shift/:id/print/:print/fail", permission: staff.RunShift, orElse: staff.ViewReports, handle: s.failReport},
		{method: "GET", path: "/shift/:id/receipt.escpos", permission: staff.RunShift, orElse: staff.ViewReports, handle: s.reportFile},
	}
}

// officeRoutes: the day, the reports and the books.
func (s *Server) officeRoutes() []route {
	return []route{
		{method: "GET", path: "/shifts", permission: staff.ManageShifts, orElse: staff.ViewReports, handle: s.shifts},
		{method: "GET", path: "/reconcile/verdicts", permission: staff.ViewReconcile, orElse: staff.Override, handle: s.verdicts},
		{method: "POST", path: "/reconcile/verdicts/:id/propose", permission: staff.Reconcile, orElse: staff.Override, handle: s.proposeVerdict},
		{method: "POST", path: "/reconcile/verdicts/:id/decide", permission: staff.Reconcile, handle: s.decideVerdict},
		{method: "GET", path: "/today", permission: staff.ViewReports, handle: s.today, background: true},
		{method: "POST", path: "/alerts/:id/seen", permission: staff.HeedAlerts, handle: s.alertSeen},
		{method: "GET", path: "/reports/:name", permission: staff.ViewReports, handle: s.report},
		{method: "GET", path: "/admin/health", permission: staff.Operate, orElse: staff.ViewReports, handle: s.healthPage},
		{method: "POST", path: "/reports/mailings", permission: staff.ViewReports, handle: s.scheduleReport, limit: &exportLimit},
		{method: "POST", path: "/reports/mailings/:id/delete", permission: staff.ViewReports, handle: s.endMailing},
		{method: "POST", path: "/reports/views", permission: staff.ViewReports, handle: s.saveView},
		{method: "POST", path: "/reports/views/:id/delete", permission: staff.ViewReports, handle: s.forgetView},
		{method: "GET", path: "/reconcile", permission: staff.ViewReconcile, handle: s.reconcile},
		{method: "POST", path: "/reconcile/look", permission: staff.Reconcile, handle: s.look, limit: &upstreamLookLimit},
		{method: "GET", path: "/reconcile/breaks/:id", permission: staff.ViewReconcile, handle: s.breakPage},
		{method: "POST", path: "/reconcile/breaks/:id/take", permission: staff.Reconcile, handle: s.takeBreak},
		{method: "POST", path: "/reconcile/breaks/:id/comment", permission: staff.Reconcile, handle: s.commentBreak},
		{method: "POST", path: "/reconcile/breaks/:id/agree", permission: staff.Reconcile, handle: s.agreeBreak},
		{method: "POST", path: "/reconcile/breaks/:id/match", permission: staff.Reconcile, handle: s.matchBreak},
		{method: "POST", path: "/reconcile/breaks/:id/propose", permission: staff.Reconcile, handle: s.proposeBreak},
		{method: "POST", path: "/reconcile/breaks/:id/confirm", permission: staff.Reconcile, handle: s.confirmBreak},
		{method: "POST", path: "/reconcile/breaks/:id/decline", permission: staff.Reconcile, handle: s.declineBreak},
		{method: "GET", path: "/reconcile/outside", permission: staff.ViewReconcile, handle: s.outside},
		{method: "POST", path: "/reconcile/topups", permission: staff.TopUpFloat, handle: s.enterTopUp},
		{method: "POST", path: "/reconcile/topups/:id/approve", permission: staff.TopUpFloat, handle: s.approveTopUp},
		{method: "POST", path: "/reconcile/topups/:id/refuse", permission: staff.TopUpFloat, handle: s.refuseTopUp},
		{method: "POST", path: "/reconcile/sellers", permission: staff.Reconcile, handle: s.declareSeller},
		{method: "POST", path: "/reconcile/sellers/approve", permission: staff.Reconcile, handle: s.approveSeller},
		{method: "GET", path: "/reconcile/drawers", permission: staff.ViewReconcile, handle: s.drawers},
		{method: "GET", path: "/statements", permission: staff.ViewReports, handle: s.statements},
		{method: "GET", path: "/statements/:id", permission: staff.ViewReports, handle: s.statement},
	}
}

// adminRoutes: what the business is set up with, and who looks after it.
func (s *Server) adminRoutes() []route {
	return []route{
		{method: "GET", path: "/admin/", permission: signedIn, handle: s.admin},
		{method: "GET", path: "/admin/prices", permission: staff.ManagePrices, handle: s.prices},
		{method: "GET", path: "/admin/prices/rule", permission: staff.ManagePrices, handle: s.priceRule},
		{method: "POST", path: "/admin/prices/rule", permission: staff.ManagePrices, handle: s.savePriceRule},
		{method: "POST", path: "/admin/prices/retire", permission: staff.ManagePrices, handle: s.retireRule},
		{method: "POST", path: "/admin/prices/allow", permission: staff.ManagePrices, handle: s.allowRule},
		{method: "POST", path: "/admin/rates", permission: staff.ManagePrices, handle: s.addRate},
		{method: "GET", path: "/admin/catalogue", permission: staff.ManageCatalogue, handle: s.catalogue},
		{method: "GET", path: "/admin/catalogue/texts", permission: staff.ManageCatalogue, handle: s.untold},
		{method: "GET", path: "/admin/catalogue/runs/:id", permission: staff.ManageCatalogue, handle: s.syncRun},
		{method: "POST", path: "/admin/catalogue/sync", permission: staff.ManageCatalogue, handle: s.syncNow},
		{method: "POST", path: "/admin/catalogue/hide", permission: staff.ManageCatalogue, handle: s.hideProduct},
		{method: "GET", path: "/admin/counter", permission: staff.PinProducts, orElse: staff.ManageCatalogue, handle: s.shelf},
		{method: "POST", path: "/admin/counter", permission: staff.PinProducts, orElse: staff.ManageCatalogue, handle: s.arrangeShelf},
		{method: "GET", path: "/admin/people", permission: staff.ManageUsers, handle: s.people},
		{method: "POST", path: "/admin/people", permission: staff.ManageUsers, handle: s.addPerson},
		{method: "GET", path: "/admin/people/:id", permission: staff.ManageUsers, handle: s.person},
		{method: "POST", path: "/admin/people/:id", permission: staff.ManageUsers, handle: s.changePerson},
		{method: "GET", path: "/admin/shops", permission: staff.ManageShops, handle: s.shopsPage},
		{method: "POST", path: "/admin/shops", permission: staff.ManageShops, handle: s.addShop},
		{method: "GET", path: "/admin/shops/:id", permission: staff.ManageShops, handle: s.shopPage},
		{method: "POST", path: "/admin/shops/:id", permission: staff.ManageShops, handle: s.changeShop},
		{method: "GET", path: "/admin/limits", permission: staff.ManageShops, handle: s.limits},
		{method: "POST", path: "/admin/limits", permission: staff.ManageShops, handle: s.setLimit},
		{method: "GET", path: "/admin/sending", permission: staff.ManageShops, handle: s.sending},
		{method: "POST", path: "/admin/sending", permission: staff.ManageShops, handle: s.setSending},
		{method: "GET", path: "/admin/upstream", permission: staff.Operate, handle: s.upstreamPage},
		{method: "GET", path: "/admin/jobs", permission: staff.Operate, handle: s.jobsPage},
		{method: "GET", path: "/admin/running", permission: staff.Operate, handle: s.running, background: true},
		{method: "POST", path: "/admin/jobs/retry", permission: staff.Operate, handle: s.retryJob},
		{method: "GET", path: "/admin/webhooks", permission: staff.Operate, handle: s.webhooksPage},
		{method: "GET", path: "/admin/setup", permission: staff.Operate, handle: s.setup},
		{method: "POST", path: "/admin/setup", permission: staff.Operate, handle: s.settleSetup, limit: &upstreamLookLimit},
		{method: "GET", path: correctionsPath, permission: staff.ViewReports, handle: s.corrections, limit: &exportLimit},
		{method: "GET", path: "/admin/audit", permission: staff.ViewAudit, handle: s.auditPage},
		{method: "POST", path: "/admin/audit", permission: staff.ViewAudit, handle: s.verifyAudit, limit: &upstreamLookLimit},
	}
}

// machineRoutes: what comes without a person, or without one of ours.
func (s *Server) machineRoutes() []route {
	return []route{
		{method: "POST", path: hookPath, permission: public, handle: s.hook, crossSite: true, maxBody: apiclient.MaxWebhookBody},
		{method: "GET", path: "/s/:code", permission: public, handle: s.status, limit: &statusLimit},
		{method: "GET", path: "/s/:code/qr.png", permission: public, handle: s.statusQR, limit: &statusLimit},
		{method: "GET", path: "/logos/:provider", permission: signedIn, handle: s.logo, limit: &logoLimit, background: true},
		{method: "GET", path: "/manifest.webmanifest", permission: public, handle: s.manifest, background: true},
		{method: "GET", path: "/worker.js", permission: public, handle: s.worker, background: true},
		{method: "GET", path: offlinePath, permission: public, handle: s.offline, background: true},
		{method: "GET", path: static.Prefix + "*file", permission: public, handle: s.static()},
		{method: "GET", path: "/healthz", permission: public, handle: s.alive},
		{method: "GET", path: "/readyz", permission: public, handle: s.ready},
		{method: "GET", path: "/metrics", permission: public, handle: s.exposeMetrics},
	}
}
