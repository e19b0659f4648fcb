package locale

// englishBills are the texts of bills and settings.
var englishBills = map[string]string{
	"bills.choose":       "Choose the bill to pay",
	"bills.lookUp":       "Look up bills",
	"bills.inFull":       "A bill is paid in full.",
	"bills.void":         "That bill cannot be paid any more: the details were changed, or it was looked up too long ago. Nothing was charged. Choose again.",
	"bills.none":         "Nothing is owed on this account. Nothing was charged.",
	"bills.wrongNumber":  "The provider does not know this account number. Nothing was charged. Check it with the customer.",
	"bills.wrongDetails": "The provider does not take these details. Nothing was charged. Check them with the customer.",
	"bills.outOfRange":   "It cannot be paid here: only bills from %[1]s to %[2]s can.",

	"confirm.note":  "Note",
	"facts.billRef": "Bill",
}
