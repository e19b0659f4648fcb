// Package person knows where a customer's number stands: it hands out what is stored of
// one, and erases it.
package person

import (
	"context"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// Deps is what a Service stands on.
type Deps struct {
	DB        *store.DB
	Audit     *audit.Log
	Now       func() time.Time
	NumberKey []byte // as the catalogue's, which remembers numbers as hashes
}

// Service finds, hands out and erases what is stored of a customer.
type Service struct{ d Deps }

// New returns a Service.
func New(d Deps) *Service { return &Service{d: d} }

// Found is what is stored of a number.
type Found struct {
	Numbers   []string   `json:"numbers"` // the forms in which it may be written
	plain     []string   // those of them that are the same however it was typed
	Sales     []Sold     `json:"sales"`
	Book      []Entry    `json:"customerBook"`
	Operators []Operator `json:"operators"`
}

// Sold is a sale to the number.
type Sold struct {
	sale     sales.Sale
	At       time.Time   `json:"at"`
	Shop     string      `json:"shop"`
	Number   string      `json:"number"`
	Provider string      `json:"provider"`
	Product  string      `json:"product"`
	Price    string      `json:"price"`
	State    sales.State `json:"state"`
	Code     string      `json:"code"` // on its receipt
	Ref      string      `json:"ref"`
	Settings string      `json:"settings"` // what was typed for the product, as JSON
	BillRef  string      `json:"billRef"`
	Receipt  bool        `json:"receiptStored"` // sealed: what the provider wrote for the customer
}

// Entry stands in a shop's customer book.
type Entry struct {
	Shop   string    `json:"shop"`
	Number string    `json:"number"`
	Name   string    `json:"name"`
	SeenAt time.Time `json:"seenAt"`
}

// Operator is whose number it was taken for.
type Operator struct {
	Provider string    `json:"provider"` // "": it was asked about, and the answer named none or several
	Source   string    `json:"source"`
	SeenAt   time.Time `json:"seenAt"`
}

// Unsettled counts the sales that are open or whose cash is due back: these still need
// the number.
func (f Found) Unsettled() (n int) {
	for _, s := range f.Sales {
		if !s.sale.Fulfilment.Final() || s.sale.Cash == sales.CashTaken || s.sale.Cash == sales.CashRefundDue {
			n++
		}
	}
	return n
}

// Empty says whether nothing is stored of the number.
func (f Found) Empty() bool { return len(f.Sales)+len(f.Book)+len(f.Operators) == 0 }

// Find returns what is stored of a number, as people type it.
func (s *Service) Find(ctx context.Context, typed string) (Found, error) {
	return s.find(s.d.DB.Read(ctx), typed)
}

// Export is Find for somebody who takes it away, which goes on record.
func (s *Service) Export(ctx context.Context, by audit.Actor, typed string) (found Found, err error) {
	return found, s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if found, err = s.find(tx.DB, typed); err != nil {
			return err
		}
		return s.record(ctx, tx, audit.Entry{Actor: by, Act: audit.CustomerExported}, found)
	})
}

func (s *Service) record(ctx context.Context, tx *store.Tx, e audit.Entry, of Found) error {
	e.Subject = audit.Of(audit.Customer, "")
	e.Facts = append(e.Facts, audit.Count("sales", len(of.Sales)), audit.Count("entries", len(of.Book)))
	return s.d.Audit.Write(ctx, tx, e)
}

func (s *Service) find(session *gorm.DB, typed string) (Found, error) {
	forms, plain, err := forms(session, typed)
	if err != nil {
		return Found{}, err
	}
	found := Found{Numbers: forms, plain: plain, Sales: []Sold{}}
	shops, err := store.Pairs[string, string](session.Raw("SELECT id, name FROM shops"))
	if err != nil {
		return Found{}, fault.Doing("read shops", err)
	}
	bought, err := store.All[sales.Sale](session.Where("account_number IN ?", forms).Order("id"))
	if err != nil {
		return Found{}, fault.Doing("find sales to a number", err)
	}
	for _, b := range bought {
		found.Sales = append(found.Sales, Sold{
			sale: b, At: b.RecordedAt, Shop: shops[b.ShopID], Number: b.AccountNumber, Provider: b.ProviderName,
			Product: b.ProductText, Price: b.Price().String(), State: b.Fulfilment, Code: b.Code, Ref: b.Ref,
			Settings: b.Settings, BillRef: b.BillRef, Receipt: b.SealedReceipt != "",
		})
	}
	found.Book, err = store.All[Entry](session.Raw(`SELECT s.name AS shop, n.account_number AS number,
		COALESCE(c.name, '') AS name, n.seen_at FROM customer_numbers n JOIN shops s ON s.id = n.shop_id
		LEFT JOIN customers c ON c.id = n.customer_id WHERE n.account_number IN ? ORDER BY n.seen_at`, forms))
	if err != nil {
		return Found{}, fault.Doing("find a number in the customer books", err)
	}
	found.Operators, err = store.All[Operator](session.Raw(`SELECT provider, source, seen_at
		FROM number_operators WHERE number_hash IN ? UNION ALL SELECT '' AS provider, 'lookup' AS source, asked_at
		FROM number_lookups l WHERE number_hash IN ? AND NOT EXISTS (
			SELECT 1 FROM number_operators o WHERE o.number_hash = l.number_hash) ORDER BY seen_at`,
		s.hashes(forms), s.hashes(forms)))
	return found, fault.Doing("find the operators of a number", err)
}

// forms are the texts under which a number may be stored. A national number is read in
// the countries of all shops. One that is a telephone's in several of them is several
// people's, and must be typed with its prefix. plain are those without the hyphens and prefixes that
// were typed.
func forms(session *gorm.DB, typed string) (forms, plain []string, err error) {
	countries, err := store.All[string](session.Raw("SELECT DISTINCT country FROM shops"))
	if err != nil {
		return nil, nil, fault.Doing("read the countries of shops", err)
	}
	var phones, other []string
	for _, country := range append(countries, "") {
		number, err := catalog.ParseNumber(typed, country)
		if err != nil {
			return nil, nil, err
		}
		if number.Phone {
			phones = append(phones, number.Digits)
		} else {
			other = append(other, strings.ReplaceAll(number.Digits, "-", ""))
		}
		if national := number.National(); national != "" {
			forms, plain = append(forms, national), append(plain, national)
		}
		forms = append(forms, number.Forms()...)
	}
	if strings.Trim(forms[0], "0") == "" { // what vouchers are sold to
		return nil, nil, fault.OnField("number", "customer.nobodys")
	}
	if len(unique(phones)) > 1 {
		return nil, nil, fault.OnField("number", "customer.which-country")
	}
	if len(phones) == 0 {
		phones = other
	}
	return unique(forms), unique(append(plain, phones...)), nil
}

func unique(texts []string) []string { return slices.Compact(slices.Sorted(slices.Values(texts))) }

func (s *Service) hashes(forms []string) []string {
	hashes := make([]string, len(forms))
	for i, form := range forms {
		hashes[i] = catalog.HashNumber(s.d.NumberKey, form)
	}
	return hashes
}
