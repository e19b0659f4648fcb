package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"airtill/internal/harness/stage"
	"airtill/internal/money"
)

// item is something that the robots sell.
type item struct {
	kind, provider, sku string
	number              func(d *dice) string // of a customer
}

// stock is what is on sale. Every customer comes with a number of her own, from
// the seed, so that sales are told apart; a few share one on purpose.
type stock struct {
	fixed item // a top-up that goes to a number
	batch item // what the upstream works later
	all   []item
}

// prefixes begin the numbers of the sandbox's Irish operators.
var prefixes = map[string]string{"LUIE": "87", "COIE": "85", "FAIE": "83", "WRIE": "89"}

func irish(prefix string) func(*dice) string {
	return func(d *dice) string { return fmt.Sprintf("0%s%07d", prefix, 1_000_000+d.below(8_999_999)) }
}

func cuban(d *dice) string { return fmt.Sprintf("+535%07d", 1_000_000+d.below(8_999_999)) }

// product is what is read of the sandbox's catalogue, which its seed makes.
type product struct {
	SkuCode, ProviderCode, ProcessingMode, RedemptionMechanism string

	LookupBillsRequired bool
	SettingDefinitions  []any
	Minimum, Maximum    struct{ SendValue json.Number }
}

// most is the dearest thing that robots sell: a cashier refunds it by herself.
const most = 30_000_000 // 30.00

// plain says whether a product has one price, in reason, and asks for nothing.
func (p *product) plain() bool {
	price, err := money.Parse(p.Minimum.SendValue.String(), "EUR")
	return err == nil && p.Minimum == p.Maximum && price.Micros() <= most && !p.LookupBillsRequired && len(p.SettingDefinitions) == 0
}

// stockOf chooses from the catalogue: top-ups and data of each operator,
// vouchers, and what the upstream works later.
func stockOf(ctx context.Context, c *stage.Console) (*stock, error) {
	products, err := productsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	s := &stock{}
	many := map[string]int{}
	for _, p := range products {
		if !p.plain() {
			continue
		}
		it := p.item()
		if many[p.ProviderCode+it.kind]++; it.kind == "" || many[p.ProviderCode+it.kind] > 2 {
			continue
		}
		if s.all = append(s.all, it); it.kind == "batch" {
			s.batch = it
		} else if it.kind == "top-up" && s.fixed.sku == "" {
			s.fixed = it
		}
	}
	if s.fixed.sku == "" || s.batch.sku == "" {
		return nil, errors.New("the simulator sells nothing that robots can")
	}
	return s, nil
}

// item says how a product is sold; one of no kind is not.
func (p *product) item() item {
	it := item{provider: p.ProviderCode, sku: p.SkuCode}
	prefix, operator := prefixes[p.ProviderCode]
	switch {
	case p.ProviderCode == "ISCU" && p.ProcessingMode == "Batch" && p.RedemptionMechanism == "Immediate":
		it.kind, it.number = "batch", cuban
	case operator && p.ProcessingMode == "Instant" && p.RedemptionMechanism == "Immediate":
		it.kind, it.number = "top-up", irish(prefix)
	case (p.ProviderCode == "PIIE" || p.ProviderCode == "HAIE") && p.RedemptionMechanism == "ReadReceipt":
		it.kind, it.number = "pin", irish("87")
	}
	return it
}

func productsOf(ctx context.Context, c *stage.Console) ([]product, error) {
	body, err := c.API(ctx, "GetProducts?countryIsos=IE&countryIsos=CU")
	if err != nil {
		return nil, err
	}
	var list struct{ Items []product }
	err = json.Unmarshal(body, &list)
	return list.Items, err
}

func (s *stock) pick(d *dice) (item, string) {
	it := s.all[d.below(len(s.all))]
	return it, it.number(d)
}
