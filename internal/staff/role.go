package staff

import "slices"

// Role is what a person does in the business. It decides what they may do.
type Role string

// The roles. A cashier, a supervisor and a manager belong to one shop; the
// others belong to the business and see every shop.
const (
	Cashier    Role = "cashier"
	Supervisor Role = "supervisor"
	Manager    Role = "manager"
	Finance    Role = "finance"
	Auditor    Role = "auditor"
	Admin      Role = "admin"
)

// MessageKey names the word for the role, for people to whom a fault is told; see fault.Named.
func (r Role) MessageKey() string { return "role." + string(r) }

// Permission is one thing that a role may or may not do.
type Permission string

// The permissions.
const (
	Sell            Permission = "sell"             // look up, sell, repeat, cancel, print: at a till of one's shop
	ViewShopSales   Permission = "view-shop-sales"  // sales of one's own shop
	ViewAllSales    Permission = "view-all-sales"   // sales of every shop
	ViewCost        Permission = "view-cost"        // cost, commission, margin, float
	Refund          Permission = "refund"           // hand cash back when it is due
	Override        Permission = "override"         // approve what a limit or a guard has stopped
	PinProducts     Permission = "pin-products"     // choose what the shop shows first
	TrustDevices    Permission = "trust-devices"    // let a till take PINs
	RunShift        Permission = "run-shift"        // open, count and close one's own till
	ManageShifts    Permission = "manage-shifts"    // see and close the tills of the whole shop
	ViewReports     Permission = "view-reports"     // today and the reports, of the shops one sees
	ViewReconcile   Permission = "view-reconcile"   // the differences and their evidence
	Reconcile       Permission = "reconcile"        // decide a difference
	TopUpFloat      Permission = "top-up-float"     // book money paid to the upstream
	ManagePrices    Permission = "manage-prices"    // price rules
	ManageCatalogue Permission = "manage-catalogue" // hide, pin and order products
	ManageUsers     Permission = "manage-users"     // create, disable, change roles, reset passwords
	ManageShops     Permission = "manage-shops"     // shops and tills
	Operate         Permission = "operate"          // jobs, synchronisation, keys
	HeedAlerts      Permission = "heed-alerts"      // say that an alert was seen
	ViewAudit       Permission = "view-audit"       // the record of acts of authority
	CustomerData    Permission = "customer-data"    // hand out what is stored of a customer, and erase it
)

// permissions is the whole of who may do what: what is not here is denied.
var permissions = map[Role][]Permission{
	Cashier:    {Sell, ViewShopSales, Refund, RunShift},
	Supervisor: {Sell, ViewShopSales, Refund, RunShift, ManageShifts, Override, PinProducts},
	Manager: {
		Sell, ViewShopSales, Refund, RunShift, ManageShifts, Override, PinProducts, TrustDevices, ViewCost, ViewReports,
		ViewReconcile, HeedAlerts,
	},
	Finance: {ViewAllSales, ViewCost, ViewReports, ViewReconcile, Reconcile, TopUpFloat, ManagePrices, HeedAlerts},
	Auditor: {ViewAllSales, ViewCost, ViewReports, ViewReconcile, ViewAudit},
	Admin: {
		ViewAllSales, ViewCost, ViewReports, ViewReconcile, ManagePrices, ManageCatalogue, ManageUsers, ManageShops,
		Operate, HeedAlerts, ViewAudit, CustomerData,
	},
}

// Roles lists the roles, from the counter to the office.
func Roles() []Role { return []Role{Cashier, Supervisor, Manager, Finance, Auditor, Admin} }

// Permissions lists every permission.
func Permissions() []Permission {
	return []Permission{
		Sell, ViewShopSales, ViewAllSales, ViewCost, Refund, Override, PinProducts, TrustDevices, RunShift,
		ManageShifts, ViewReports,
		ViewReconcile, Reconcile, TopUpFloat, ManagePrices, ManageCatalogue, ManageUsers, ManageShops, Operate,
		HeedAlerts, ViewAudit, CustomerData,
	}
}

// Valid says whether the role exists.
func (r Role) Valid() bool { return slices.Contains(Roles(), r) }

// InShop says whether people of this role belong to one shop.
func (r Role) InShop() bool { return r == Cashier || r == Supervisor || r == Manager }

// signs says whether the role has a right that takes two people: booking money, deciding what became of a sale,
// allowing a loss, changing keys, or giving somebody such a right.
func (r Role) signs() bool {
	return slices.ContainsFunc([]Permission{TopUpFloat, Reconcile, ManagePrices, Operate, ManageUsers}, r.Can)
}

// Can says whether the role has a permission.
func (r Role) Can(p Permission) bool { return slices.Contains(permissions[r], p) }
