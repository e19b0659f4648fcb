// Package demodata invents believable trade: shops with their week and day, people
// and shifts, providers by country, prices, failures and refunds. It is for
// trying out reports and for measuring; what it writes went through the same
// reducer and the same books as what a cashier sells.
package demodata

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Deps is what a Generator needs.
type Deps struct {
	DB    *store.DB
	Staff *staff.Service
	Now   func() time.Time
	Log   *slog.Logger
}

// Plan says how much to invent.
type Plan struct {
	Sales int    // at least 1
	Days  int    // up to now, at least 1
	Shops int    // at least 1
	Seed  uint64 // the same seed invents the same trade
	Zone  string // of every shop; "": some of Europe
	// Bare leaves out events, attempts and postings: a tenth of the rows, for
	// measuring reports over very many sales. The books do not know of them.
	Bare bool
}

// The most that can be asked for.
const (
	maxSales = 50_000_000
	maxDays  = 3000
	maxShops = 500
)

// Generator invents trade.
type Generator struct {
	d       Deps
	plan    Plan
	random  *rand.Rand
	codes   uint64               // given out so far
	shelves map[string][]product // what each provider sells, by its code
}

// New returns a generator of a plan, or a fault of kind Invalid that says what
// is wrong with it.
func New(d Deps, p Plan) (*Generator, error) {
	for _, bound := range []struct {
		field     string
		got, most int
	}{{"sales", p.Sales, maxSales}, {"days", p.Days, maxDays}, {"shops", p.Shops, maxShops}} {
		if bound.got < 1 || bound.got > bound.most {
			return nil, fault.OnField(bound.field, "trade.range", bound.field, bound.most)
		}
	}
	g := &Generator{d: d, plan: p, random: rand.New(rand.NewPCG(p.Seed, 1)), shelves: map[string][]product{}} //nolint:gosec // invented, and the same again for the same seed
	for _, provider := range market {
		g.shelves[provider.code] = provider.products()
	}
	return g, nil
}

// Generate writes the trade. It refuses a database in which something was sold:
// invented figures do not mix with true ones.
func (g *Generator) Generate(ctx context.Context) error {
	var sold bool
	if err := g.d.DB.Read(ctx).Raw("SELECT EXISTS (SELECT 1 FROM sales)").Scan(&sold).Error; err != nil {
		return fmt.Errorf("invent trade: %w", err)
	}
	if sold {
		return fault.New(fault.Conflict, "trade.not-empty")
	}
	if err := g.generate(ctx); err != nil {
		return fmt.Errorf("invent trade: %w", err)
	}
	return nil
}

func (g *Generator) generate(ctx context.Context) error {
	places, err := g.places(ctx)
	if err != nil {
		return err
	}
	calendar := newCalendar(g.plan, places, g.d.Now())
	written := 0
	for day := range g.plan.Days {
		err := g.d.DB.Tx(ctx, func(tx *store.Tx) error { // nobody sells meanwhile
			for i := range places {
				n, err := g.tradeDay(ctx, tx, &places[i], calendar, day)
				if err != nil {
					return err
				}
				written += n
			}
			return nil
		})
		if err != nil {
			return err
		}
		if day%30 == 29 || day == g.plan.Days-1 {
			g.d.Log.InfoContext(ctx, "trade.invented", "days", day+1, "sales", written)
		}
	}
	return nil
}

// install begins every reference. It is no installation's code, which says that nothing was sent.
const install = "SEED"

// place is a shop as the generator knows it.
type place struct {
	shop     staff.Shop
	zone     *time.Location
	tills    []staff.Till
	cashiers []staff.User
	weight   int64 // how much is sold here beside the others
	shifts   map[string]int
}

var (
	streets = []string{"Camden Street", "Market Square", "Station Road", "Harbour Lane", "Mill Street", "Abbey Road", "Bridge Street", "Castle Hill", "North Gate", "Orchard Way"}
	zones   = []string{"Europe/Dublin", "Europe/Dublin", "Europe/Lisbon", "Europe/Madrid", "Europe/Paris"}
	lands   = []string{"IE", "IE", "PT", "ES", "FR"}
)

func shopName(i int) string {
	if i < len(streets) {
		return streets[i]
	}
	return fmt.Sprintf("%s %d", streets[i%len(streets)], i/len(streets)+1)
}

// places makes the shops with their people. Nobody knows the passwords: an
// administrator can set them.
func (g *Generator) places(ctx context.Context) ([]place, error) {
	var places []place
	for i := range g.plan.Shops {
		p, err := g.place(ctx, i)
		if err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	return places, nil
}

func (g *Generator) place(ctx context.Context, i int) (place, error) {
	by, p := audit.Command("web seed"), place{weight: 40 + g.random.Int64N(120), shifts: map[string]int{}}
	var err error
	p.shop, p.tills, err = g.d.Staff.CreateShop(ctx, by, staff.NewShop{
		Name: shopName(i), Zone: cmp.Or(g.plan.Zone, zones[i%len(zones)]), Country: lands[i%len(lands)], Currency: "EUR", Tills: 1 + i%3,
	})
	if fault.KindOf(err) == fault.Conflict {
		return p, errors.Join(err, fault.New(fault.Conflict, "trade.shop-taken", shopName(i)))
	}
	if err != nil {
		return p, err
	}
	p.zone = p.shop.Location()
	for n := range len(p.tills) + 1 {
		user, err := g.d.Staff.CreateUser(ctx, by, staff.NewUser{
			Username: fmt.Sprintf("seed-%d-%d", i+1, n+1), DisplayName: names[(i*4+n)%len(names)], Role: staff.Cashier, ShopID: p.shop.ID, Password: g.text(base32, 24),
		})
		if err != nil {
			return p, err
		}
		p.cashiers = append(p.cashiers, user)
	}
	return p, nil
}

var names = []string{"Aoife", "Brian", "Chidi", "Dana", "Emeka", "Fatima", "Grainne", "Hugo", "Ines", "Jamal", "Kavya", "Liam", "Marta", "Nora", "Oscar", "Priya", "Quentin", "Rosa", "Samir", "Teresa"}

const base32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// code is a receipt code that no other sale has: they count up, so that an index
// of very many grows at its end.
func (g *Generator) code() string {
	g.codes++
	code := make([]byte, 8)
	for i, n := len(code)-1, g.codes; i >= 0; i-- {
		code[i] = base32[n%32]
		n /= 32
	}
	return string(code)
}

// text draws so many characters of an alphabet.
func (g *Generator) text(alphabet string, length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = alphabet[g.random.IntN(len(alphabet))]
	}
	return string(text)
}
