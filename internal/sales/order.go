package sales

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/money"
)

// paramsHash identifies what a key stands for: the same key with another hash is a conflict. The price is left
// out, so that a changed price can be confirmed with the key of the page that showed the old one.
func paramsHash(seller counter.Seller, quoted counter.Terms) string {
	raw, _ := json.Marshal([]any{ // of texts: it never fails
		seller.ShopID, seller.CashierID, quoted.SKUCode, quoted.Cost.Send.String(), quoted.AccountNumber,
		quoted.Settings, quoted.BillRef,
	})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// check refuses what no cashier can sell, before money is taken. The offer knows what is sold at all.
func check(ctx context.Context, offer counter.Offer) error {
	terms, said := offer.Terms(), offer.Confirmed()
	switch {
	case len(said.Key) < 16 || len(said.Key) > 64:
		return fault.New(fault.Invalid, "page.too-old-to-sell")
	case offer.Seller().ShiftID == "":
		return fault.New(fault.Conflict, "shift.none-open")
	}
	if err := offer.Stands(ctx); err != nil {
		return err
	}
	if terms.Cost.Send.Sign() <= 0 || terms.Price.Sign() <= 0 {
		return fault.OnField("amount", "amount.zero")
	}
	if err := checkGiven(said.Given, terms.Price); err != nil {
		return err
	}
	if said.Shown != terms.Price || !said.Receive.IsZero() && said.Receive != terms.Receive {
		return &ChangedError{Price: terms.Price}
	}
	return nil
}

// ChangedError says that the price, or what is received for it, differs from the page: the cashier must see the new one
// and confirm again.
// Nothing was sold.
type ChangedError struct{ Price money.Amount }

// Error is for the log.
func (e *ChangedError) Error() string {
	return "what was shown has changed, the price is " + e.Price.String()
}

// DuplicateError says that the same sale was made today, or the same PIN a moment ago: the cashier must say
// that another is meant. Nothing was sold. Of Earlier only what is told is read.
type DuplicateError struct{ Earlier Sale }

// Error is for the log.
func (e *DuplicateError) Error() string { return "the same sale was made today: " + e.Earlier.ID }

// UnknownError says that the same sale is still open: selling it again would
// risk sending it twice. Nothing was sold.
type UnknownError struct{ Earlier Sale }

// Error is for the log.
func (e *UnknownError) Error() string { return "the same sale is still open: " + e.Earlier.ID }
