package catalogue

import (
	"fmt"
	"io"
	"math/rand/v2"
	"sort"
	"time"
)

// Options say what to make.
type Options struct {
	Seed     int64
	Currency string    // the agent's, ISO 4217
	Home     string    // ISO code of the country where a number with one leading 0 lies
	Products int       // how many products to make; 0: the market as it is
	List     io.Reader // a list of products in CSV to derive everything from; nil: the own market
	Now      time.Time // promotions are placed around it
}

// Catalogue is everything on sale. It does not change once made.
type Catalogue struct {
	Countries      []Country
	Currencies     []Currency
	Regions        []Region
	Providers      []*Provider
	Statuses       []ProviderStatus
	Products       []*Product
	Promotions     []Promotion
	ProductTexts   []ProductText
	PromotionTexts []PromotionText

	Currency string // the agent's
	home     string
	world    *world
	products map[string]*Product
	byCode   map[string]*Provider
	phones   map[string][]*Provider // by country, those whose accounts are phone numbers
	dialing  map[string]dialed      // by prefix
	down     map[string]bool        // suspended providers
}

// dialed is what a dialing prefix leads to.
type dialed struct {
	iso         string
	least, most int // length of the whole number
}

// New makes a catalogue. It fails if the agent's currency or country is unknown
// or the list is not in the expected form.
func New(o Options) (*Catalogue, error) {
	w, err := readWorld()
	if err != nil {
		return nil, err
	}
	if _, known := w.rates[o.Currency]; !known {
		return nil, fmt.Errorf("no rate is known for the currency %.10q", o.Currency)
	}
	if o.Home != "" && w.byISO[o.Home] == nil {
		return nil, fmt.Errorf("no country has the code %.10q", o.Home)
	}
	b := &builder{
		options: o, world: w, codes: map[string]bool{}, skus: map[string]bool{},
		c: &Catalogue{Currency: o.Currency, home: o.Home, world: w},
	}
	if o.List != nil {
		err = b.fromList(o.List)
	} else {
		b.fromMarket()
	}
	if err != nil {
		return nil, err
	}
	b.promotions()
	b.reference()
	b.c.index()
	return b.c, nil
}

// builder collects a catalogue while it is made.
type builder struct {
	options Options
	world   *world
	codes   map[string]bool
	skus    map[string]bool
	c       *Catalogue
}

// rng returns the random numbers of one thing, the same whatever was made
// before it.
func (b *builder) rng(name string) *rand.Rand {
	var sum uint64 = 14695981039346656037
	for _, c := range []byte(name) {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(uint64(b.options.Seed), sum)) //nolint:gosec // reproducible on purpose
}

// reference adds countries, regions and currencies, those only that something
// on sale has to do with.
func (b *builder) reference() {
	countries, currencies := map[string]bool{}, map[string]bool{b.options.Currency: true}
	for _, p := range b.c.Providers {
		countries[p.CountryIso] = true
	}
	for _, p := range b.c.Products {
		currencies[p.Minimum.ReceiveCurrencyIso] = true
	}
	for _, n := range b.world.nations {
		if countries[n.iso] {
			b.c.Countries = append(b.c.Countries, b.world.country(n))
			b.c.Regions = append(b.c.Regions, b.world.regions[n.iso]...)
		}
	}
	for iso := range currencies {
		b.c.Currencies = append(b.c.Currencies, Currency{CurrencyIso: iso, CurrencyName: b.world.rates[iso].name})
	}
	sort.Slice(b.c.Currencies, func(i, j int) bool { return b.c.Currencies[i].CurrencyIso < b.c.Currencies[j].CurrencyIso })
}

func (c *Catalogue) index() {
	c.products = make(map[string]*Product, len(c.Products))
	c.byCode = make(map[string]*Provider, len(c.Providers))
	c.phones, c.dialing, c.down = map[string][]*Provider{}, map[string]dialed{}, map[string]bool{}
	for _, status := range c.Statuses {
		c.down[status.ProviderCode] = !status.IsProcessingTransfers
	}
	for _, p := range c.Products {
		c.products[p.SkuCode] = p
	}
	for _, p := range c.Providers {
		c.byCode[p.ProviderCode] = p
		if p.TakesPhones() {
			c.phones[p.CountryIso] = append(c.phones[p.CountryIso], p)
		}
	}
	// Numbers of a country nobody sells in are still recognised.
	for _, n := range c.world.nations {
		for _, prefix := range n.prefixes {
			c.dialing[prefix] = dialed{iso: n.iso, least: len(prefix) + n.least, most: len(prefix) + n.most}
		}
	}
}

// Product returns the product of a SKU, nil if there is none.
func (c *Catalogue) Product(sku string) *Product { return c.products[sku] }

// Provider returns the provider of a code, nil if there is none.
func (c *Catalogue) Provider(code string) *Provider { return c.byCode[code] }

// Suspended says whether the provider takes no transfers.
func (c *Catalogue) Suspended(code string) bool { return c.down[code] }
