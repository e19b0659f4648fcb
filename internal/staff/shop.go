package staff

import (
	"cmp"
	"context"
	_ "embed" // the time zones to choose from
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"
	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Shop is a place with tills, in one time zone, country and currency.
type Shop struct {
	ID        string
	Name      string         // unique
	Zone      string         // IANA, such as Europe/Dublin
	Country   string         // ISO 3166-1 alpha-2
	Currency  money.Currency // of the cash in its tills
	Address   string         // as printed on receipts, "" for none
	TaxID     string         // as printed on receipts, "" for none
	CreatedAt time.Time
}

// TableName is read by GORM.
func (Shop) TableName() string { return "shops" }

// Location returns the shop's time zone, or UTC if this machine does not know it; CreateShop accepts only zones that
// its machine knows.
func (s Shop) Location() *time.Location {
	zone, err := ZoneOf(s.Zone)
	if err != nil {
		return time.UTC
	}
	return zone
}

var zones sync.Map // name to *time.Location

// ZoneOf is time.LoadLocation with a memory: reading a zone's file takes as long as a small question to the
// database, and every page of a shop needs its zone.
func ZoneOf(name string) (*time.Location, error) {
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location), nil //nolint:forcetypeassert // nothing else is in it
	}
	zone, err := time.LoadLocation(name)
	if err == nil {
		zones.Store(name, zone)
	}
	return zone, err
}

// DayBegins returns when a date begins in a zone. Where clocks change at midnight there may be no midnight, or two.
func DayBegins(year int, month time.Month, day int, zone *time.Location) time.Time {
	dateOf := func(at time.Time) time.Time {
		year, month, day := at.In(zone).Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	at := time.Date(year, month, day, 0, 0, 0, 0, zone)
	const step = 15 * time.Minute // every zone in use today is offset by whole quarters of an hour
	for dateOf(at).Before(date) {
		at = at.Add(step)
	}
	for dateOf(at.Add(-time.Second)).Equal(date) {
		at = at.Add(-step)
	}
	return at
}

// Till is a place in a shop where cash is taken.
type Till struct {
	ID        string
	ShopID    string
	Number    int // 1, 2, 3 … within the shop
	Name      string
	RetiredAt *time.Time // since when no shift begins at it, nil while it is in use
}

// TableName is read by GORM.
func (Till) TableName() string { return "tills" }

// Retired says whether the till is out of use. A shift that is open at it goes on until it is closed.
func (t Till) Retired() bool { return t.RetiredAt != nil }

// NewShop describes a shop to be created.
type NewShop struct {
	ID       string // of the form that asks for it, "" for a new one: see store.Made
	Name     string
	Zone     string
	Country  string
	Currency string
	Address  string
	TaxID    string
	Tills    int // how many, named "Till 1" and so on
}

const mostTills = 100

// CreateShop creates a shop with its tills. Errors of kind fault.Invalid name
// the field; a name that is taken is fault.Conflict.
func (s *Service) CreateShop(ctx context.Context, by audit.Actor, n NewShop) (Shop, []Till, error) {
	shop, err := n.check()
	if err != nil {
		return Shop{}, nil, err
	}
	shop.ID, shop.CreatedAt = cmp.Or(n.ID, s.newID()), s.now()
	tills := make([]Till, n.Tills)
	for i := range tills {
		tills[i] = Till{ID: s.newID(), ShopID: shop.ID, Number: i + 1, Name: fmt.Sprintf("Till %d", i+1)}
	}
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		made, err := store.Made(tx, shop.ID, shop.asksFor)
		if err != nil {
			return err
		}
		if made != nil {
			tills, err = store.All[Till](tx.Where("shop_id = ?", shop.ID).Order("number"))
			return err
		}
		err = tx.Create(&shop).Error
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			return fault.Wrap(err, fault.Conflict, "shop.taken", shop.Name)
		}
		if err != nil {
			return err
		}
		return s.d.Audit.WriteIf(ctx, tx, tx.Create(&tills), audit.Entry{
			Actor: by, Act: audit.ShopCreated, Subject: audit.Of(audit.Shop, shop.ID),
			Facts: append(
				ShopFacts{Name: shop.Name, Address: shop.Address, TaxID: shop.TaxID}.facts(),
				audit.Text("zone", shop.Zone), audit.Word("country", shop.Country),
				audit.Text("currency", shop.Currency), audit.Count("tills", n.Tills),
			),
		})
	})
	return shop, tills, fault.Doing("create shop", err)
}

// asksFor says whether a form that asks for a shop asks for one that was made.
func (s Shop) asksFor(made Shop) bool {
	made.CreatedAt = s.CreatedAt
	return made == s
}

func (n NewShop) check() (Shop, error) {
	f, err := ShopFacts{Name: n.Name, Address: n.Address, TaxID: n.TaxID}.tidy()
	if err != nil {
		return Shop{}, err
	}
	shop := Shop{
		Name: f.Name, Address: f.Address, TaxID: f.TaxID,
		Zone: n.Zone, Country: strings.ToUpper(n.Country), Currency: money.Currency(strings.ToUpper(n.Currency)),
	}
	switch {
	case !knownZone(n.Zone):
		return Shop{}, fault.OnField("zone", "shop.zone", n.Zone)
	case !knownCountry(shop.Country):
		return Shop{}, fault.OnField("country", "shop.country", n.Country)
	case !slices.Contains(money.Currencies(), shop.Currency): // neither gold nor what was money once
		return Shop{}, fault.OnField("currency", "shop.currency", n.Currency)
	case n.Tills < 1 || n.Tills > mostTills:
		return Shop{}, fault.OnField("tills", "shop.tills", mostTills)
	}
	return shop, nil
}

// noPlace are names that time.LoadLocation accepts, some on some machines, and that are no place's: its own time, none,
// or, as right/Europe/Dublin, one that counts leap seconds and is half a minute off.
var noPlace = regexp.MustCompile(`^(|Local|localtime|posixrules|Factory|(posix|right)/.*)$`)

func knownZone(name string) bool {
	_, err := ZoneOf(name)
	return err == nil && !noPlace.MatchString(name)
}

// gone are former countries without a successor.
var gone = map[string]bool{"AN": true, "CS": true, "NT": true, "SU": true, "YU": true}

// knownCountry also refuses reserved codes, such as UK, and former ones, such as DD.
func knownCountry(code string) bool {
	region, err := language.ParseRegion(code)
	return err == nil && len(code) == 2 && region.IsCountry() && region.String() == code &&
		region.Canonicalize() == region && region.ISO3() != "ZZZ" && region.M49() != 0 && !gone[code]
}

// Countries returns the codes that a shop's country can have (ISO 3166-1 alpha-2).
func Countries() []string {
	var all []string
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			if code := string([]rune{first, second}); knownCountry(code) {
				all = append(all, code)
			}
		}
	}
	return all
}

// Zone is a time zone that a shop can be in, and its country.
type Zone struct{ Country, Name string }

// zoneList is zone.tab of the time zone database, which is nobody's property, and Kosovo: on each line
// a country and a zone of it.
//
//go:embed zones.txt
var zoneList string

// Zones are the time zones of each country, to choose from. A shop may have one by an older name.
func Zones() []Zone {
	var all []Zone
	for line := range strings.Lines(zoneList) {
		country, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		all = append(all, Zone{Country: country, Name: name})
	}
	return all
}

// Shop returns one shop; fault.NotFound if there is none.
func (s *Service) Shop(ctx context.Context, id string) (Shop, error) {
	return s.shops.Get(ctx, id, func(ctx context.Context) (Shop, error) {
		return store.FindOne[Shop](ctx, s.d.DB, errNoShop, "FROM shops WHERE id = ?", id)
	})
}

// Shops returns every shop, by name.
func (s *Service) Shops(ctx context.Context) ([]Shop, error) {
	shops, err := store.All[Shop](s.d.DB.Read(ctx).Order("id"))
	byName(shops, func(shop Shop) string { return shop.Name })
	return shops, fault.Doing("list shops", err)
}

// byName sorts by name, whatever its capitals and accents: each database has an order of its own.
func byName[T any](all []T, name func(T) string) {
	slices.SortStableFunc(all, func(x, y T) int {
		return strings.Compare(store.Fold(name(x)), store.Fold(name(y)))
	})
}

// CommonZone is the time zone by which who belongs to no shop reads days and times: that of most shops or, of several,
// the one with the oldest shop; UTC before there is a shop.
func (s *Service) CommonZone(ctx context.Context) (*time.Location, error) {
	name, err := s.zones.Get(ctx, struct{}{}, func(ctx context.Context) (string, error) {
		most, err := store.All[string](s.d.DB.Read(ctx).Raw(
			"SELECT zone FROM shops GROUP BY zone ORDER BY COUNT(*) DESC, MIN(id) LIMIT 1",
		))
		return strings.Join(most, ""), err
	})
	return Shop{Zone: name}.Location(), fault.Doing("find the zone of most shops", err)
}

// Tills returns the tills of shops, each shop's by number.
func (s *Service) Tills(ctx context.Context, shopIDs ...string) ([]Till, error) {
	tills, err := store.All[Till](s.d.DB.Read(ctx).Where("shop_id IN ?", shopIDs).Order("shop_id, number"))
	return tills, fault.Doing("list tills", err)
}

// Till returns one till; fault.NotFound if there is none.
func (s *Service) Till(ctx context.Context, id string) (Till, error) {
	return s.tills.Get(ctx, id, func(ctx context.Context) (Till, error) {
		return store.FindOne[Till](ctx, s.d.DB, errNoTill, "FROM tills WHERE id = ?", id)
	})
}
