package person

// Fate is what becomes of a column when a customer's number is erased.
type Fate string

// The fates.
const (
	Erased   Fate = "erased"   // taken out, or the row deleted
	Retained Fate = "retained" // says nothing of whose number it was, or has to stay
	Nobodys  Fate = "nobody's" // never was a customer's
)

// Column is a column of the schema that holds something of a customer's number, or looks
// as if it could.
type Column struct {
	Name string
	Fate Fate
	Why  string
}

// Columns are all of them: a test fails on one of the schema that is not here.
var Columns = []Column{
	{"sales.account_number", Erased, "the sale stays in the books, to nobody"},
	{"sales.params_hash", Erased, "a hash of the request, by which a number could be tried out"},
	{"sales.settings", Erased, "what was typed for the product"},
	{"sales.bill_ref", Erased, "names the customer's bill"},
	{"sales.sealed_receipt", Erased, "what the provider wrote for the customer"},
	{"sales.pin_hint", Erased, "the end of it"},
	{"webhooks.sealed_body", Erased, "tells the number"},
	{"limit_stops.asked", Erased, "the request's hash; of what was never sold it goes after 400 days"},
	{"customer_numbers.account_number", Erased, "the row goes"},
	{"customer_numbers.ending", Erased, "the row goes"},
	{"customer_numbers.customer_id", Erased, "the row goes"},
	{"customers.name", Erased, "with the last of their numbers"},
	{"customers.folded", Erased, "with the last of their numbers"},
	{"number_operators.number_hash", Erased, "the row goes"},
	{"number_lookups.number_hash", Erased, "the row goes"},

	{"sales.serial_hash", Retained, "a voucher's serial under the vault's key"},
	{"bill_lookups.subject", Retained, "a keyed hash, for two days at most"},
	{"bill_lookups.bills", Retained, "what was owed, for two days at most, by a keyed hash"},
	{"erasures.number_hash", Retained, "a keyed hash, until it is decided"},
	{"erasures.reason", Retained, "what people write; not the number, the page says"},
	{"approvals.subject", Retained, "a hash of the request, bound to the shop and the person who asked"},
	{"approvals.summary", Retained, "the number with its last three digits"},
	{"breaks.evidence", Retained, "the last four digits, for the books"},
	{"breaks.subject", Retained, "a sale or a transfer of the books"},
	{"break_acts.note", Retained, "append-only: what people write of a difference"},
	{"audit_entries.subject", Retained, "append-only: what an act was done to, never a number"},
	{"audit_entries.reason", Retained, "append-only: what people write of an act"},
	{"audit_entries.before_json", Retained, "append-only, never a number"},
	{"audit_entries.after_json", Retained, "append-only, at most the last three digits"},
	{"sale_events.note", Retained, "append-only: what happened to a sale, never its number"},
	{"incidents.note", Retained, "what must be seen, never a number"},
	{"verdicts.reason", Retained, "what people write of a sale"},
	{"z_reports.document", Retained, "append-only: counts and sums; sales by their codes"},
	{"statements.document", Retained, "append-only: counts and sums"},

	{"challenges.asked", Nobodys, "what a passkey or an identity provider must answer, about a user"},
	{"refused_arrivals.subject", Nobodys, "what an identity provider calls somebody who may be a user"},
	{"users.subject", Nobodys, "what an identity provider calls a user"},
	{"providers.customer_care_number", Nobodys, "a provider's"},
	{"sales.customer_care", Nobodys, "a provider's"},
	{"products.uat_number", Nobodys, "the transfer service's, for practice"},
	{"products.settings", Nobodys, "what a product asks for"},
	{"providers.validation_regex", Nobodys, "a pattern"},
	{"postings.account", Nobodys, "an account of the ledger"},
	{"ledger_checkpoints.account", Nobodys, "an account of the ledger"},
	{"breaks.account", Nobodys, "an account of the ledger"},
	{"top_ups.account", Nobodys, "an account of the ledger"},
	{"catalog_runs.note", Nobodys, "what went wrong with a synchronisation"},
	{"sale_limits.subject", Nobodys, "what is limited"},
	{"limit_stops.subject", Nobodys, "what is limited"},
}
