package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// State is something to know of a product of the catalogue; it may be in several.
type State string

// The states.
const (
	IsHidden State = "hidden"  // from every counter
	Missing  State = "missing" // the service no longer has it
	Moved    State = "changed" // its price or terms, at the last update that changed any
	Troubled State = "trouble" // its provider takes no transfers, its sales fail, or it cannot be sold
)

// States returns all of them.
func States() []State { return []State{IsHidden, Missing, Moved, Troubled} }

// missingFor is how long a product is listed as missing: longer, a catalogue would be mostly history.
const missingFor = 90 * 24 * time.Hour

// Browse says which products of the catalogue to list, sold or not.
type Browse struct {
	Search

	State    State           // "" for all that the service has
	ISO      string          // of the country, "" for all
	Provider string          // its code, "" for all
	Failing  map[string]bool // the products whose sales fail
	After    string          // the Key of the last one seen
}

// Entry is a product as the catalogue lists it.
type Entry struct {
	*Product

	Operator, ISO string
	Hidden        *Hidden
	Since         *time.Time // since when it is missing
	Says          string     // what the service says of a provider in trouble
	Stopped       bool       // its provider takes no transfers
	Failing       bool
	States        []State
}

// Key is the place of an entry in its list: by operator and price.
func (e Entry) Key() string {
	return fmt.Sprintf("%s\t%015d\t%s", e.Operator, e.Minimum.SendMicros, e.SKU)
}

// order is that of the Keys.
func (e Entry) order(other Entry) int {
	return cmp.Or(
		strings.Compare(e.Operator, other.Operator), cmp.Compare(e.Minimum.SendMicros, other.Minimum.SendMicros),
		strings.Compare(e.SKU, other.SKU),
	)
}

// Tally counts products, by state; "" counts all that the service has.
type Tally map[State]int

// Browsed is a page of the catalogue.
type Browsed struct {
	Entries   []Entry
	More      bool             // there are further ones
	Found     Tally            // of what is asked for, whatever its state
	Countries map[string]Tally // by ISO code; of what is searched for
	Providers map[string]Tally // by code; of the country that is asked for
	Names     map[string]string
}

// noted is a product that is not simply on sale, as its table has it.
type noted struct {
	Product     `gorm:"embedded"` // as far as it is listed
	WithdrawnAt *time.Time
	Reason      string
	HiddenBy    string
	HiddenAt    *time.Time
	Operator    string
	Country     string
	Moved       bool
}

// notes reads what is hidden, missing, kept out of sale or was changed. A run that was held back counted changes and
// wrote none; what is back is written as what changed is.
func (s *Service) notes(ctx context.Context) ([]noted, error) {
	const sql = `WITH latest AS (
			SELECT MAX(started_at) AS at FROM catalog_runs WHERE resource = 'products' AND changed > 0 AND written > 0),
		back AS (
			SELECT c.sku FROM catalog_changes c CROSS JOIN latest
			WHERE c.field = 'added' AND c.changed_at >= latest.at)
		SELECT p.sku, p.provider, p.localization_key, p.kind, p.display_text, p.min_send_micros, p.min_send_currency,
			p.min_receive_micros, p.min_receive_currency, p.max_send_micros, p.max_send_currency, p.max_receive_micros,
			p.max_receive_currency, p.unsellable, p.withdrawn_at, COALESCE(h.reason, '') AS reason,
			COALESCE(h.hidden_by, '') AS hidden_by, h.hidden_at, COALESCE(v.name, p.provider) AS operator,
			COALESCE(v.country, '') AS country,
			COALESCE(p.changed_at >= latest.at AND p.added_at < latest.at AND p.withdrawn_at IS NULL AND
				p.sku NOT IN (SELECT sku FROM back), FALSE) AS moved
		FROM products p CROSS JOIN latest
		LEFT JOIN hidden_products h ON h.sku = p.sku LEFT JOIN providers v ON v.code = p.provider
		WHERE h.sku IS NOT NULL OR p.unsellable <> '' AND p.withdrawn_at IS NULL OR p.withdrawn_at >= ?
			OR p.changed_at >= latest.at AND p.added_at < latest.at AND p.withdrawn_at IS NULL`
	notes, err := store.All[noted](s.d.DB.Read(ctx).Raw(sql, store.Moment(s.d.Now().Add(-missingFor))))
	return notes, fault.Doing("read the catalogue's notes", err)
}

// Browse lists products of the catalogue by operator, with what is to be known of them, and counts them. It asks once
// for those that are not simply on sale.
func (s *Service) Browse(ctx context.Context, q Browse) (Browsed, error) {
	notes, err := s.notes(ctx)
	if err != nil {
		return Browsed{}, err
	}
	on, m := s.Current(), newMatch(q.Search)
	page := Browsed{
		Found: Tally{}, Countries: map[string]Tally{}, Providers: map[string]Tally{}, Names: map[string]string{},
	}
	for _, e := range on.entries(notes, q.Failing) {
		title := e.Operator
		if country, known := on.Country(e.ISO); known {
			title += " " + q.Country(country)
		}
		if !m.product(m.unsaid(title, e.Provider), e.Product, on.nameOf(e.Product, m.languages)) {
			continue
		}
		tally(page.Countries, e.ISO, e.States)
		if q.ISO != "" && q.ISO != e.ISO {
			continue
		}
		tally(page.Providers, e.Provider, e.States)
		page.Names[e.Provider] = e.Operator
		if q.Provider != "" && q.Provider != e.Provider {
			continue
		}
		page.Found.add(e.States)
		if e.in(q.State) && (q.After == "" || e.Key() > q.After) {
			page.Entries = append(page.Entries, e)
		}
	}
	slices.SortFunc(page.Entries, Entry.order)
	page.More = len(page.Entries) > q.Limit
	page.Entries = page.Entries[:min(len(page.Entries), q.Limit)]
	return page, nil
}

func tally(of map[string]Tally, key string, states []State) {
	if of[key] == nil {
		of[key] = Tally{}
	}
	of[key].add(states)
}

func (t Tally) add(states []State) {
	for _, state := range states {
		t[state]++
	}
	if !slices.Contains(states, Missing) {
		t[""]++
	}
}

func (e Entry) in(state State) bool {
	if state == "" {
		return !slices.Contains(e.States, Missing)
	}
	return slices.Contains(e.States, state)
}

// entries are all products of the catalogue, those that are not simply on sale with what is noted of them.
func (s *Snapshot) entries(notes []noted, failing map[string]bool) []Entry {
	all := make([]Entry, 0, len(s.products)+len(notes))
	about := make(map[string]*noted, len(notes))
	for i := range notes {
		n := &notes[i]
		about[n.SKU] = n
		if _, sold := s.Product(n.SKU); !sold {
			all = append(all, s.entry(&n.Product, n, failing))
		}
	}
	for p := range s.AllProducts() {
		all = append(all, s.entry(p, about[p.SKU], failing))
	}
	return all
}

func (s *Snapshot) entry(p *Product, n *noted, failing map[string]bool) Entry {
	e := Entry{Product: p, Operator: p.Provider, Failing: failing[p.SKU]}
	if n != nil {
		e.Operator, e.ISO, e.Since = n.Operator, n.Country, n.WithdrawnAt
		if n.HiddenAt != nil {
			e.Hidden = &Hidden{SKU: n.SKU, Reason: n.Reason, HiddenBy: n.HiddenBy, HiddenAt: *n.HiddenAt}
			e.States = append(e.States, IsHidden)
		}
		if n.Moved {
			e.States = append(e.States, Moved)
		}
	}
	if provider, known := s.Provider(p.Provider); known {
		e.Operator, e.ISO = provider.Name, provider.Country
	}
	if e.Since != nil {
		e.States = append(e.States, Missing)
		return e // whatever else is wrong with it
	}
	status := s.ProviderStatus(p.Provider)
	e.Stopped, e.Says = !status.Processing, cmp.Or(status.Message, p.Unsellable)
	if e.Stopped || e.Says != "" || e.Failing {
		e.States = append(e.States, Troubled)
	}
	return e
}
