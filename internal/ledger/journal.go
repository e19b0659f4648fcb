package ledger

import (
	"fmt"

	"airtill/internal/money"
)

// Kind names a journal of the book: J1 cash taken, J2 reserve, …
type Kind string

// Leg is one side of a journal. Debit is positive.
type Leg struct {
	Account Account
	Amount  money.Amount
}

// Journal is a set of legs that sum to zero in each currency.
type Journal struct {
	Kind Kind
	Legs []Leg
}

// Cost is what a transfer costs the agent, in the agent's currency.
type Cost struct {
	Send           money.Amount // SendValue; the customer fee is inside it
	CustomerFee    money.Amount
	DistributorFee money.Amount
}

// Total is what the upstream balance falls by: SendValue + DistributorFee.
func (c Cost) Total() (money.Amount, error) { return c.Send.Add(c.DistributorFee) }

// CashTaken (J1): the customer has paid the price.
func CashTaken(shiftID string, price money.Amount) Journal {
	return transfer("J1", TillOf(shiftID), CustomerPrepayments, price)
}

// Reserve (J2) sets float aside for a sale.
func Reserve(total money.Amount) Journal { return transfer("J2", Reserved, Float, total) }

// Success (J3 from Reserved, J9 from BatchClearing) turns what was held for a transfer into its cost. The
// difference to the actual cost goes back to the float, or comes from it.
func Success(held Account, amount money.Amount, actual Cost) (Journal, error) {
	kind := Kind("J3")
	if held == BatchClearing {
		kind = "J9"
	}
	legs, total, err := costLegs(actual)
	if err != nil {
		return Journal{}, fmt.Errorf("%s: %w", kind, err)
	}
	over, err := amount.Sub(total)
	if err != nil {
		return Journal{}, fmt.Errorf("%s: %w", kind, err)
	}
	return Journal{Kind: kind, Legs: append(legs, Leg{Float, over}, Leg{held, amount.Neg()})}, nil
}

// CommissionEarned (J4) is what the upstream credits for a transfer.
func CommissionEarned(commission money.Amount) Journal {
	return transfer("J4", Float, Commission, commission)
}

// Release (J5) returns reserved float.
func Release(total money.Amount) Journal { return transfer("J5", Float, Reserved, total) }

// RefundBecomesDue (J6): the transfer did not happen; the customer's cash must go back.
func RefundBecomesDue(price money.Amount) Journal {
	return transfer("J6", CustomerPrepayments, RefundsDue, price)
}

// RefundNoLongerDue (J6 reversed): the cash is held for a new attempt, or the
// transfer succeeded after all.
func RefundNoLongerDue(price money.Amount) Journal {
	return transfer("J6R", RefundsDue, CustomerPrepayments, price)
}

// Revenue (J7) earns the customer's prepayment: the provider's part, the customer fee, the mark-up. Where the
// till's currency is not the agent's, the price is earned whole and the cost stays in the agent's currency.
func Revenue(price money.Amount, actual Cost) (Journal, error) {
	legs, err := revenueLegs(price, actual)
	if err != nil {
		return Journal{}, fmt.Errorf("J7: %w", err)
	}
	return Journal{Kind: "J7", Legs: append([]Leg{{CustomerPrepayments, price}}, legs...)}, nil
}

// BatchAccepted (J8): the upstream has deducted a batch transfer at once.
func BatchAccepted(total money.Amount) Journal {
	return transfer("J8", BatchClearing, Reserved, total)
}

// BatchReturned (J10): a batch transfer failed or was cancelled; the upstream owes its deduction.
func BatchReturned(total money.Amount) Journal {
	return transfer("J10", RefundReceivable, BatchClearing, total)
}

// UpstreamRefunded (J11): the upstream has paid it back.
func UpstreamRefunded(total money.Amount) Journal {
	return transfer("J11", Float, RefundReceivable, total)
}

// CashRefunded (J12): the customer has the cash again.
func CashRefunded(shiftID string, price money.Amount) Journal {
	return transfer("J12", RefundsDue, TillOf(shiftID), price)
}

// LateLoss (J14): a transfer succeeded after its cash went back.
func LateLoss(total money.Amount) Journal { return transfer("J14", Losses, Float, total) }

// Reversal (J15) undoes a complete transfer: the upstream owes its cost, less
// the commission it takes back, and the customer is owed the price.
func Reversal(price money.Amount, actual Cost, commission money.Amount) (Journal, error) {
	cost, total, err := costLegs(actual)
	if err != nil {
		return Journal{}, fmt.Errorf("J15: %w", err)
	}
	revenue, err := revenueLegs(price, actual)
	if err != nil {
		return Journal{}, fmt.Errorf("J15: %w", err)
	}
	legs := []Leg{
		{RefundReceivable, total}, {Commission, commission}, {Float, commission.Neg()}, {RefundsDue, price.Neg()},
	}
	for _, leg := range append(cost, revenue...) {
		legs = append(legs, Leg{leg.Account, leg.Amount.Neg()})
	}
	return Journal{Kind: "J15", Legs: legs}, nil
}

// LossRecovered (J15 after J14) undoes a late loss: the upstream reversed the transfer, and the customer had
// been paid back long before.
func LossRecovered(total, commission money.Amount) Journal {
	return Journal{
		Kind: "J15",
		Legs: []Leg{
			{RefundReceivable, total}, {Losses, total.Neg()}, {Commission, commission}, {Float, commission.Neg()},
		},
	}
}

// DrawerOpened (J0) puts the counted float of a shift into its drawer.
func DrawerOpened(shiftID string, float money.Amount) Journal {
	return transfer("J0", TillOf(shiftID), Safe, float)
}

// FloatToppedUp (J13): money was paid to the upstream, out of the safe or the bank, or is still owed to
// whoever paid it.
func FloatToppedUp(from Account, amount money.Amount) Journal {
	return transfer("J13", Float, from, amount)
}

// SoldByOthers (J22): other software sold on the same account.
func SoldByOthers(cost money.Amount) Journal { return transfer("J22", UsedByOthers, Float, cost) }

// FloatExplained (J23) sets the float to what the upstream says, against an account that two people chose.
func FloatExplained(against Account, more money.Amount) Journal {
	return transfer("J23", Float, against, more)
}

// CountDifference (J17) sets a drawer's account to what was counted: missing cash is a cost, surplus cash
// reverses one. A difference is counted less expected.
func CountDifference(shiftID string, difference money.Amount) Journal {
	return transfer("J17", TillOf(shiftID), CashOverShort, difference)
}

// CashFromSafe (J19) puts change into a drawer.
func CashFromSafe(shiftID string, amount money.Amount) Journal {
	return transfer("J19", TillOf(shiftID), Safe, amount)
}

// CashToSafe (J20) takes cash out of a drawer into the safe.
func CashToSafe(shiftID string, amount money.Amount) Journal {
	return transfer("J20", Safe, TillOf(shiftID), amount)
}

// ExpensePaid (J21) is something the shop bought out of a drawer. Less than nothing is what came back of it.
func ExpensePaid(shiftID string, amount money.Amount) Journal {
	return transfer("J21", ShopExpenses, TillOf(shiftID), amount)
}

// OpeningBalance (J18): the float as the upstream first told it.
func OpeningBalance(balance money.Amount) Journal { return transfer("J18", Float, Opening, balance) }

func transfer(kind Kind, debit, credit Account, amount money.Amount) Journal {
	return Journal{Kind: kind, Legs: []Leg{{debit, amount}, {credit, amount.Neg()}}}
}

// costLegs are the debits of a transfer's cost, and their total.
func costLegs(c Cost) ([]Leg, money.Amount, error) {
	provider, err := c.Send.Sub(c.CustomerFee)
	if err != nil {
		return nil, money.Amount{}, err
	}
	total, err := c.Total()
	if err != nil {
		return nil, money.Amount{}, err
	}
	return []Leg{{ProviderValue, provider}, {CustomerFeePassed, c.CustomerFee}, {DistributorFee, c.DistributorFee}},
		total, nil
}

// revenueLegs are the credits that a price earns.
func revenueLegs(price money.Amount, c Cost) ([]Leg, error) {
	if price.Currency() != c.Send.Currency() {
		return []Leg{{FaceValue, price.Neg()}}, nil
	}
	face, err := c.Send.Sub(c.CustomerFee)
	if err != nil {
		return nil, err
	}
	markUp, err := price.Sub(c.Send)
	if err != nil {
		return nil, err
	}
	return []Leg{{FaceValue, face.Neg()}, {CustomerFee, c.CustomerFee.Neg()}, {MarkUp, markUp.Neg()}}, nil
}

// balanced fails unless the legs sum to zero in each currency.
func (j Journal) balanced() error {
	sums := map[money.Currency]money.Amount{}
	for _, leg := range j.Legs {
		currency := leg.Amount.Currency()
		sum, err := money.Sum(currency, money.Of(sums[currency].Micros(), currency), leg.Amount)
		if err != nil {
			return fmt.Errorf("journal %s: %w", j.Kind, err)
		}
		sums[currency] = sum
	}
	for _, sum := range sums {
		if !sum.IsZero() {
			return fmt.Errorf("journal %s is out of balance by %s", j.Kind, sum)
		}
	}
	return nil
}
