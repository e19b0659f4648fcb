package counter

import (
	"context"
	"errors"
	"time"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/pricing"
)

// Ask is what a form says of a sale: names and typed texts. Prices and states come from the catalogue and the
// rules.
type Ask struct {
	Seller    Seller
	Language  string // of the page
	Number    string // as typed
	Country   string // of its operator, chosen by hand
	Not       string // a provider the number is not with after all
	Provider  string
	Search    string // words that what is shown must contain
	SKU       string
	Pay       string // the amount to pay, as typed
	Receive   string // or to receive
	Send      string // the SendValue a page showed the price of
	Bill      string // the id of the chosen bill
	Settings  []Setting
	Confirmed bool // the product's questions are answered
	Practice  bool // it goes to the product's test number

	// Amount reads a typed amount; nil: as money.Parse does.
	Amount func(text string, currency money.Currency) (money.Amount, error)
}

// Setting is the answer to a setting, "" if none.
func (a Ask) Setting(name string) string {
	for _, s := range a.Settings {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// Quote is a sale as it stands: all that its confirm page shows or, until it is Ready, what is missing or
// wrong.
type Quote struct {
	Ask      Ask // with remembered settings
	Snapshot *catalog.Snapshot
	Number   catalog.Number
	Provider *catalog.Provider
	Product  *catalog.Product
	Account  string // the number as the provider writes it

	Price   catalog.Price // of the amount, as far as known
	Terms   Terms         // of the sale, once it is Ready
	OldRate time.Time     // since when the exchange rate in the price has held, if it is old
	About   bool          // what is received is our own figure, not the provider's
	Least   money.Amount  // the range of what can be paid
	Most    money.Amount
	Round   []money.Amount // sums to offer within a range

	PayProblem      error            // of the amount to pay
	ReceiveProblem  error            // of the amount to receive
	SettingProblems map[string]error // by name

	Bill        *catalog.Bill // to pay
	Bills       []Bill        // to choose from
	BillsAsked  bool          // and there is an answer
	BillVoid    bool          // the chosen one cannot be paid
	BillProblem error

	Up        bool  // the provider takes transfers, and selling goes on
	Stopped   *Stop // why nothing is sold
	Stop      error // what would stop the sale; see sales.Check
	Unchecked bool  // the provider could not check the number in time
	Test      bool  // to a test number outside practice

	ready    bool
	refused  error // why there can be no offer, though all is answered
	counter  *Service
	tariff   *pricing.Tariff
	typedPay money.Amount
	typedGet money.Amount
}

// Bill is a bill and its price at the counter.
type Bill struct {
	catalog.Bill

	Pay money.Amount
}

// Ready says that nothing is missing: the sale can be confirmed.
func (q *Quote) Ready() bool { return q.ready }

// Range says whether the amount is chosen, rather than set by the product or a bill.
func (q *Quote) Range() bool { return !q.Product.Fixed() && !q.Product.LookupBillsRequired }

// Nearest is the typed amount if it cannot be had exactly, otherwise zero.
func (q *Quote) Nearest() money.Amount {
	switch {
	case !q.typedGet.IsZero() && q.Price.Receive() != q.typedGet:
		return q.typedGet
	case !q.typedPay.IsZero() && q.Terms.Price != q.typedPay:
		return q.typedPay
	}
	return money.Amount{}
}

var (
	// ErrNoBill says that no bill was chosen, or that it can no longer be paid.
	ErrNoBill  = errors.New("no bill was chosen")
	errAnswers = fault.New(fault.Invalid, "product.details")
)

// The page was shown before practice began or ended, as in another tab.
var (
	errPracticeBegun = fault.OnField("practice", "practice.begun")
	errPracticeOver  = fault.OnField("practice", "practice.over")
)

// Offer is the confirmed sale. It fails with ErrNoBill or a fault unless the quote is Ready.
func (q *Quote) Offer(said Confirmation) (Offer, error) {
	switch {
	case q.refused != nil:
		return Offer{}, q.refused
	case !q.Right():
		return Offer{}, errAnswers
	case !q.ready:
		return Offer{}, ErrNoBill
	case said.Practice && !q.Ask.Practice:
		return Offer{}, errPracticeOver
	case !said.Practice && q.Ask.Practice:
		return Offer{}, errPracticeBegun
	}
	return Offer{counter: q.counter, seller: q.Ask.Seller, terms: q.Terms, confirmed: said}, nil
}

// Quote prices what is asked for as it stands now. Only what was typed comes from the asker.
func (s *Service) Quote(ctx context.Context, ask Ask) (*Quote, error) {
	return s.quote(ctx, ask, false)
}

// Preview is Quote for a page: with the last answers to its settings, the bills to choose from, and what would
// stop the sale, before any cash is counted.
func (s *Service) Preview(ctx context.Context, ask Ask, key string) (*Quote, error) {
	q, err := s.quote(ctx, ask, true)
	if err != nil || !q.ready || !q.Up {
		return q, err
	}
	offer, err := q.Offer(Confirmation{Key: key, Shown: q.Terms.Price, Practice: ask.Practice})
	if err != nil {
		return q, err
	}
	q.Unchecked, q.Stop = s.d.Sales.Check(ctx, offer)
	return q, nil
}

func (s *Service) quote(ctx context.Context, ask Ask, recall bool) (*Quote, error) {
	q, err := s.begin(ctx, ask)
	if err != nil {
		return nil, err
	}
	if recall {
		if err := q.recall(ctx); err != nil {
			return nil, err
		}
	}
	q.checkSettings()
	if err := q.readAmount(); err != nil {
		return nil, err
	}
	asks := q.Range() || len(q.Product.Settings) > 0
	switch {
	case q.Product.LookupBillsRequired && (ask.Confirmed || !asks):
		err = q.settleBill(ctx, recall)
	case q.Right() && (ask.Confirmed || !asks):
		err = q.finish(ctx)
	default:
		err = q.askMore(ctx)
	}
	return q, err
}

// begin finds what is meant, if this shop sells it.
func (s *Service) begin(ctx context.Context, ask Ask) (*Quote, error) {
	if ask.Amount == nil {
		ask.Amount = money.Parse
	}
	on, seller := s.d.Catalog.Current(), ask.Seller
	number, err := catalog.ParseNumber(ask.Number, seller.Country)
	if err != nil {
		return nil, err
	}
	tariff, err := s.tariff(ctx, seller)
	if err != nil {
		return nil, err
	}
	provider, product, err := s.sold(ctx, on, seller.ShopID, ask.Provider, ask.SKU)
	if errors.Is(err, errNoProduct) && ask.Confirmed {
		err = errWithdrawn
	}
	if err != nil {
		return nil, err
	}
	return &Quote{
		Ask: ask, Snapshot: on, Number: number, Provider: provider, Product: product,
		Account: on.AccountNumber(product, number), counter: s, tariff: tariff,
	}, nil
}

// tariff is what a shop charges now.
func (s *Service) tariff(ctx context.Context, at Seller) (*pricing.Tariff, error) {
	return s.d.Pricing.Tariff(ctx, at.ShopID, at.Currency, at.zone(), s.d.Now())
}

// Right says that everything typed is valid.
func (q *Quote) Right() bool {
	return q.PayProblem == nil && q.ReceiveProblem == nil && len(q.SettingProblems) == 0
}

// askMore prices what is typed so far, as it would be sold.
func (q *Quote) askMore(ctx context.Context) (err error) {
	if !q.Ask.Confirmed {
		q.SettingProblems = nil // nothing was asked yet, so nothing is missing
	}
	if !q.Range() {
		return nil
	}
	q.Round, err = q.tariff.RoundSums(q.Product, q.Provider.Country)
	if err != nil || q.PayProblem != nil || q.ReceiveProblem != nil {
		return err
	}
	if q.PayProblem = q.estimate(ctx, true); q.PayProblem == nil {
		q.Terms.Price, err = q.pay(q.Price)
	}
	return err
}

// finish sets the terms: the sale can be confirmed.
func (q *Quote) finish(ctx context.Context) error {
	if q.Range() {
		err := q.estimate(ctx, false)
		if fault.KindOf(err) == fault.Invalid {
			q.PayProblem, q.refused = err, err
			q.Round, err = q.tariff.RoundSums(q.Product, q.Provider.Country)
		}
		if err != nil || q.refused != nil {
			return err
		}
	}
	pay, err := q.pay(q.Price)
	if err != nil {
		return err
	}
	q.name(pay)
	q.Up = q.counter.d.Catalog.CheckProvider(ctx, q.Provider.Code).Processing
	if q.Stopped = q.counter.Stopped(); q.Stopped != nil {
		q.Up = false
	}
	q.ready = true
	return nil
}

// name fills in what is sold, and to whom.
func (q *Quote) name(pay money.Amount) {
	p, price := q.Product, q.Price
	q.Terms = Terms{
		AccountNumber: q.Account, Settings: q.answers(), CountryISO: q.Provider.Country, ProviderCode: q.Provider.Code,
		ProviderName: q.Provider.Name, CustomerCare: q.Provider.CustomerCareNumber, SKUCode: p.SKU,
		ProductText: q.Snapshot.Text(p, q.Ask.Seller.Language).DisplayText, Kind: string(p.Kind),
		ProcessingMode: p.ProcessingMode, Redemption: p.Redemption, Validity: p.Validity, Receive: price.Receive(),
		ReceiveExTax: price.ReceiveExcludingTax(),
		Cost: ledger.Cost{
			Send: price.Send(), CustomerFee: price.CustomerFee(), DistributorFee: price.DistributorFee(),
		},
		TaxRate: price.TaxRate, TaxName: price.TaxName, TaxCalculation: price.TaxCalculation,
		CommissionRate: p.CommissionRate,
		Price:          pay,
	}
	if since, old := q.tariff.OldRate(price.SendCurrency); old {
		q.OldRate = since
	}
	if q.Bill != nil {
		q.Terms.BillRef = q.Bill.Ref
	}
	if q.Ask.Practice {
		q.Terms.AccountNumber, q.refused = practiceNumber(p, q.Number)
	} else {
		q.refused = q.Snapshot.CheckNumber(p, q.Number)
	}
	q.Terms.Practice = p.IsTest(q.Terms.AccountNumber)
	q.Test = q.Terms.Practice && !q.Ask.Practice
}
