package office

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/invariant"
	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// culprits name what the checks of the books found wrong as people know it, as far as the user may see it.
type culprits struct {
	l      locale.Locale
	u      staff.User
	names  frame.Names
	sales  map[string]sales.Sale
	shifts map[string]till.Shift
}

// culprits asks for all that the findings name at once.
func (s *Screens) culprits(c *gin.Context, l locale.Locale, findings []invariant.Finding) (culprits, error) {
	k := culprits{l: l, u: frame.Present(c).User}
	var ids []string
	for _, f := range findings {
		for _, o := range f.Offenders {
			ids = append(ids, idIn(o.Subject))
		}
	}
	if ids = slices.Compact(slices.Sorted(slices.Values(ids))); len(ids) == 0 {
		return k, nil
	}
	r := frame.ReadsOf(c)
	k.names = frame.LoadHere(r, s.Names)
	k.sales = frame.LoadOf(r, s.D.Sales.ByIDs, ids)
	k.shifts = frame.LoadOf(r, s.D.Till.ByIDs, ids)
	return k, r.Err
}

// idIn is the id of a sale or a shift in an offender's subject: in that of a booking, or of a drawer's account.
func idIn(subject string) string {
	for part := range strings.FieldsFuncSeq(subject, func(r rune) bool { return r == '/' || r == ':' }) {
		if frame.IsKey(part) {
			return part
		}
	}
	return ""
}

// row words an offender, and links to the page of what it is about.
func (k culprits) row(o invariant.Offender) templates.Offender {
	row := templates.Offender{Text: frame.OffenderText(k.l, o)}
	thing, _, _ := strings.Cut(string(o.Kind), ".")
	whose, url := k.of(idIn(o.Subject))
	switch thing {
	case "sale", "shift":
		row.Names, row.URL = whose, url
	case "account":
		row.Names, row.URL = append([]string{frame.AccountName(k.l, ledger.Account(o.Subject).Number())}, whose...), url
	case "journal":
		row.Names, row.URL = append([]string{k.l.Text("health.thing.journal")}, whose...), url
	case "entry", "postings", "events":
		seq, _ := strconv.ParseInt(o.Subject, 10, 64) // 0 of a tampered one: the newest
		row.Names = []string{k.l.Text("health.thing."+thing, k.l.Number(seq))}
		if k.u.Can(staff.ViewAudit) {
			row.URL = "/admin/audit?before=" + strconv.FormatInt(seq+1, 10)
		}
	case "statement":
		row.Names = []string{k.l.Text("health.thing.statement", k.l.Number(int64(o.Number)))}
		if shop, visible := k.names.Shops[o.Shop]; visible {
			row.Names, row.URL = append(row.Names, shop), "/statements/"+o.Subject
		}
	default:
		row.Names = []string{k.l.Word("health.thing.", thing, k.l.Text("audit.thing.other"))}
	}
	if row.Names == nil { // of another shop, or gone
		row.Names = []string{k.l.Text("audit.thing." + thing)}
	}
	return row
}

// of names a sale or a shift of the user's shops; nil if it is none.
func (k culprits) of(id string) (told []string, url string) {
	if sale, found := k.sales[id]; found {
		told = []string{
			k.l.Text("audit.thing.sale") + " " + frame.Spelled(sale.Code), k.names.Shops[sale.ShopID],
			k.l.DateTime(sale.RecordedAt),
		}
		if sale.Addressed() && !sale.Erased() {
			masked := frame.Masked(sale.AccountNumber)
			if k.l.Direction() == locale.RightToLeft {
				masked = "\u2066" + masked + "\u2069" // else its digits would stand before its dots
			}
			told = append(told, masked)
		}
		url = "/sales/" + id
	} else if shift, found := k.shifts[id]; found {
		told = []string{
			k.l.Text("audit.thing.shift") + " " + k.l.Number(int64(shift.Number)), k.names.Shops[shift.ShopID],
			k.names.Tills[shift.TillID], k.l.DateTime(shift.OpenedAt),
		}
		url = "/shift/" + id
	}
	if told == nil || told[1] == "" {
		return nil, ""
	}
	return told, url
}
