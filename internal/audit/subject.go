package audit

import "strings"

// Thing is a kind of thing that acts are done to.
type Thing string

// The things.
const (
	Alert        Thing = "alert"
	Approval     Thing = "approval"
	Books        Thing = "books" // a kind of rows in them
	Break        Thing = "break"
	Customer     Thing = "customer" // one of them, whom the trail does not name
	Device       Thing = "device"
	ExchangeRate Thing = "exchange-rate"
	Installation Thing = "installation"
	Mailing      Thing = "mailing"
	PriceRule    Thing = "price-rule"
	Product      Thing = "product"
	Provider     Thing = "provider"
	Role         Thing = "role"
	Sale         Thing = "sale"
	Seller       Thing = "seller"
	Setup        Thing = "setup" // a step of it
	Shift        Thing = "shift"
	Shop         Thing = "shop"
	Till         Thing = "till"
	TopUp        Thing = "topup"
	User         Thing = "user"
	VaultKey     Thing = "vault-key"
)

// Subject is what an act was done to: the thing and its id.
type Subject string

// AllSales are many sales at once.
const AllSales Subject = "sales"

// Of is the thing with this id; "": all.
func Of(thing Thing, id string) Subject { return Subject(string(thing) + ":" + id) }

// Parts are the thing and its id.
func (s Subject) Parts() (Thing, string) {
	thing, id, _ := strings.Cut(string(s), ":")
	return Thing(thing), id
}
