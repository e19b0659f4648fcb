package apiclient

import (
	"encoding/json"
	"errors"

	"github.com/shopspring/decimal"

	"airtill/internal/fault"
	"airtill/internal/money"
)

var errNotNumber = errors.New("not a JSON number")

// Decimal is the text of a number exactly as on the wire; "" is absent or null. Reading one never fails, so
// that an absurd amount does not hide the state of its transfer: Amount and Rate judge it when it is used.
type Decimal string

// DecimalOf writes an amount with at least two decimals, never rounded.
func DecimalOf(a money.Amount) Decimal { return Decimal(a.Decimal(2)) }

// Amount reads the number as an amount of a currency. It fails with
// money.ErrSyntax (also when absent), money.ErrTooFine or money.ErrOverflow.
func (d Decimal) Amount(c money.Currency) (money.Amount, error) { return money.Parse(string(d), c) }

// Rate reads the number as an exact rate, such as a commission or tax rate. It
// fails with money.ErrSyntax (also when absent) or money.ErrOverflow.
func (d Decimal) Rate() (decimal.Decimal, error) {
	rate, err := money.Rate(string(d))
	return rate, fault.Doing("read rate", err)
}

// MarshalJSON writes a bare JSON number, null if the Decimal is "", and fails on anything else.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return []byte("null"), nil
	}
	// A value that is valid JSON and begins and ends like a number is one.
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' }
	if (d[0] != '-' && !isDigit(d[0])) || !isDigit(d[len(d)-1]) || !json.Valid([]byte(d)) {
		return nil, errNotNumber
	}
	return []byte(d), nil
}

// UnmarshalJSON takes a number or a quoted number; null and "" are absent.
func (d *Decimal) UnmarshalJSON(data []byte) error {
	text, _ := scalarText(data)
	*d = Decimal(text)
	return nil
}

// scalarText returns the content of a JSON string, nothing for null, and the
// JSON itself for any other value.
func scalarText(data []byte) (text string, present bool) {
	if len(data) == 0 || string(data) == "null" {
		return "", false
	}
	if data[0] != '"' {
		return string(data), true
	}
	if err := json.Unmarshal(data, &text); err != nil {
		return "", false
	}
	return text, true
}
