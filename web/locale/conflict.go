package locale

import (
	"errors"

	"airtill/internal/fault"
)

// ConflictTitle is the heading over a fault of kind Conflict: what it is, where Fault has
// the sentence. "" is for every other error.
func (l Locale) ConflictTitle(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Conflict {
		return ""
	}
	if class := conflicts[e.Format]; class != "" {
		return l.Text(class)
	}
	return l.Text("error.409")
}

// conflicts says of each conflict what kind it is.
var conflicts = map[string]string{ //nolint:gosec // sentences that speak of keys and PINs
	"This till takes %s, and this product costs %s. Finance or an administrator must enter an exchange rate first.": "error.409.rate",
	"This till takes %s, and this product is priced in %s. A manager must set a price rule.":                        "error.409.rate",

	"This page has already been used for another sale. Look the number up again. Nothing new was sold.":                                                    "error.409.used",
	"This page has already been used for something else. Load it anew. Nothing new was booked.":                                                            "error.409.used",
	"This page is from before the till was restored, so it may have been sent already. Nothing was sold. Ask the customer, then look the number up again.": "error.409.used",

	"No shift is open at this till. Open one first. Nothing was sold.": "error.409.shift",
	"Open a shift first.": "error.409.shift",
	"Open a shift first: the cash must come out of a drawer.":                    "error.409.shift",
	"The shift at this till was closed. Open a new one first. Nothing was done.": "error.409.shift",
	"The shift at this till was closed. Open a new one first. Nothing was sold.": "error.409.shift",

	"Your shop has no till yet. Ask an administrator to set one up.": "error.409.till",

	"Whoever made the rule cannot allow it to sell below cost. A second person must.": "error.409.second",

	"The username %q is taken. Choose another.":                                            "error.409.taken",
	"There is a customer of that name already. Choose another, such as one with a street.": "error.409.taken",
	"There is a rate from that moment already.":                                            "error.409.taken",
	"There is a shop named %q already. Choose another name.":                               "error.409.taken",

	"The shop %s has %d favourites already. Take one away there first.": "error.409.full",
	"You have saved %d reports. Forget one first.":                      "error.409.full",
	"You have scheduled %d reports. End one first.":                     "error.409.full",

	"Somebody else is printing this just now. Try again.":                                                "error.409.wait",
	"The transfer service asks to wait. Try again in %d s, or give the cash back.":                       "error.409.wait",
	"The transfer service did not answer with these credentials. Check them, and its address.":           "error.409.wait",
	"The transfer service does not list this sale just now. Nothing was changed. Try again in a moment.": "error.409.wait",
	"The upstream's list may still tell. Nobody decides before 45 days have passed.":                     "error.409.wait",
	"This sale is not for people to decide, or not yet.":                                                 "error.409.wait",

	"A shift is open at this till already.":                                                 "error.409.done",
	"An earlier attempt of this sale was carried out after all. It is not sent again.":      "error.409.done",
	"It is too late to cancel: the sale has been sent.":                                     "error.409.done",
	"Nothing is proposed for this sale any more. Look at it again.":                         "error.409.done",
	"Nothing is to be booked for this: the books follow already. Say that it is explained.": "error.409.done",
	"Somebody else has proposed something for this sale. Decide that first.":                "error.409.done",
	"Something waits for a second person here already. Decide that first.":                  "error.409.done",
	"The cash of this sale has been given back. Make a new sale.":                           "error.409.done",
	"The cash of this sale was given back already. Do not give it twice.":                   "error.409.done",
	"The transfer service still owes its money back for this sale. Make a new sale.":        "error.409.done",
	"This alert is over, or somebody deals with it already.":                                "error.409.done",
	"This declaration was dealt with already.":                                              "error.409.done",
	"This difference was dealt with already. Look at it again.":                             "error.409.done",
	"This payment was dealt with already.":                                                  "error.409.done",
	"This sale cannot be cancelled any more. Look at it again.":                             "error.409.done",
	"This sale has moved on meanwhile. Look at it again.":                                   "error.409.done",
	"This sale is from before the till was restored, so it may have been sent again already. Give the cash back, or ask the customer and make a new sale.": "error.409.done",
	"This sale may not be sent any more.":                               "error.409.done",
	"This shift was closed already. Nothing was changed.":               "error.409.done",
	"This was decided already, or it is too late. Nothing was changed.": "error.409.done",

	"No refund is due on this sale.":                                                      "error.409.not",
	"Only a batch transfer can be cancelled.":                                             "error.409.not",
	"Say who you are, then type the PIN again.":                                           "error.409.not",
	"Show the PIN on the sale's page first, then print. Every showing is kept on record.": "error.409.not",
	"The balance and the books differ by this. Book it, together with a second person.":   "error.409.not",
	"The keys that sign webhooks could not be fetched. Check UPSTREAM_AUTH_URL.":          "error.409.not",
	"These two do not make up for one another.":                                           "error.409.not",
	"This is the last admin. Make another user an admin first.":                           "error.409.not",
	"This product cannot be practised. Choose another.":                                   "error.409.not",
	"This sale was not sent, so there is no receipt.":                                     "error.409.not",
}
