package catalog

import "slices"

// Kind is what a product is to a cashier.
type Kind string

// The kinds, in the order a counter shows them.
const (
	KindTopUp        Kind = "top-up"
	KindData         Kind = "data"
	KindBundle       Kind = "bundle"
	KindMinutes      Kind = "minutes"
	KindPIN          Kind = "pin"
	KindVoucher      Kind = "voucher"
	KindLongDistance Kind = "long-distance"
	KindElectricity  Kind = "electricity"
	KindTV           Kind = "tv"
	KindBill         Kind = "bill"
	KindOther        Kind = "other"
)

// Kinds returns every kind, in the order a counter shows them.
func Kinds() []Kind {
	return []Kind{
		KindTopUp, KindData, KindBundle, KindMinutes, KindPIN, KindVoucher,
		KindLongDistance, KindElectricity, KindTV, KindBill, KindOther,
	}
}

// kindRules are tried from the top; the first with all its benefits present and a fitting receipt wins
// (FACTS.md, Product kinds).
var kindRules = []struct {
	benefits []string
	receipt  receiptRule
	kind     Kind
}{
	{[]string{"Electricity"}, anyway, KindElectricity},
	{[]string{"TV"}, anyway, KindTV},
	{[]string{"Digital Product"}, anyway, KindVoucher},
	{[]string{"LongDistance"}, anyway, KindLongDistance},
	{[]string{"Mobile"}, onReceipt, KindPIN},
	{[]string{"Minutes"}, onReceipt, KindPIN},
	{[]string{"Data"}, onReceipt, KindPIN},
	{[]string{"Internet"}, onReceipt, KindPIN},
	{[]string{"Mobile", "Minutes", "Data"}, toAccount, KindBundle},
	{[]string{"Mobile", "Data"}, toAccount, KindData},
	{[]string{"Mobile"}, toAccount, KindTopUp},
	{[]string{"Minutes", "Data"}, toAccount, KindBundle},
	{[]string{"Data"}, toAccount, KindData},
	{[]string{"Internet"}, toAccount, KindData},
	{[]string{"Minutes"}, toAccount, KindMinutes},
	{[]string{"Utility"}, anyway, KindBill},
	{[]string{"Balance"}, toAccount, KindTopUp},
}

// receiptRule says how a product must be delivered for a rule to apply.
type receiptRule int

const (
	anyway receiptRule = iota
	onReceipt
	toAccount
)

func kindOf(p *Product) Kind {
	if p.LookupBillsRequired {
		return KindBill
	}
	for _, rule := range kindRules {
		if rule.receipt == onReceipt && !p.OnReceipt() || rule.receipt == toAccount && p.OnReceipt() {
			continue
		}
		missing := func(benefit string) bool { return !slices.Contains(p.Benefits, benefit) }
		if !slices.ContainsFunc(rule.benefits, missing) {
			return rule.kind
		}
	}
	return KindOther
}
