package ledger

import "strings"

// Account is a ledger account: a number of the chart, followed where there are many of it by a colon and what
// it belongs to ("1000:<shift>").
type Account string

// The chart of accounts.
const (
	Safe                Account = "1010" // safe and bank
	Float               Account = "1100" // float available upstream
	Reserved            Account = "1110" // float reserved for open sales
	BatchClearing       Account = "1120" // deducted upstream, outcome open
	RefundReceivable    Account = "1130" // upstream owes it back
	UsedByOthers        Account = "1140" // float that other software on the account has used
	CustomerPrepayments Account = "2000" // cash taken, outcome open
	RefundsDue          Account = "2010" // cash to hand back
	FloatPayable        Account = "2100"
	Opening             Account = "3000"
	FaceValue           Account = "4000"
	CustomerFee         Account = "4010"
	MarkUp              Account = "4020"
	Commission          Account = "4100"
	ProviderValue       Account = "5000"
	CustomerFeePassed   Account = "5010"
	DistributorFee      Account = "5100"
	Losses              Account = "5900"
	CashOverShort       Account = "5910"
	Goodwill            Account = "5920"
	ShopExpenses        Account = "5930" // small things bought out of a drawer
	Unexplained         Account = "9000"
)

const tillNumber = "1000"

// TillOf is the drawer of a shift.
func TillOf(shiftID string) Account { return Account(tillNumber + ":" + shiftID) }

// Number is the account's number in the chart, "1000" for every drawer.
func (a Account) Number() string {
	number, _, _ := strings.Cut(string(a), ":")
	return number
}
