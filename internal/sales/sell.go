package sales

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/money"
	"airtill/internal/store"
	"airtill/internal/till"
)

// Sell records a sale: the cash is taken and the float reserved in one commit. It does not send; call Dispatch
// with the result. The same key gives the same sale however often it comes, with created false.
//
// It fails with *ChangedError, *DuplicateError or *UnknownError where the cashier must decide, with
// *RefusedError if the provider said it does not take it, and with a fault otherwise; then nothing was sold.
func (s *Service) Sell(ctx context.Context, offer counter.Offer) (sale Sale, created bool, err error) {
	sale, created, err = s.sell(ctx, offer)
	if fault.KindOf(store.Explain(err, false)) == fault.Unsure {
		err = fault.Wrap(err, fault.Unsure, "sale.unsure")
	}
	return sale, created, err
}

func (s *Service) sell(ctx context.Context, offer counter.Offer) (sale Sale, created bool, err error) {
	sale = newSale(offer)
	if failpoint.Broken("key") {
		sale.IdempotencyKey = store.NewID(s.d.Now())
	}
	defer s.forms.hold(sale.IdempotencyKey)()
	if refusal := s.sellable(ctx, offer); refusal != nil {
		earlier, err := s.byKey(ctx, sale.IdempotencyKey, sale.ParamsHash)
		if err != nil || earlier == nil {
			return Sale{}, false, cmp.Or(err, refusal)
		}
		return *earlier, false, nil
	}
	recorded, created, err := s.record(ctx, sale, offer)
	if errors.Is(err, store.ErrUnreachable) { // an earlier press of the form may still be on its way
		return Sale{}, false, store.Unsure(err)
	}
	if err != nil {
		return Sale{}, false, s.d.Limits.Stopped(ctx, sale.measured(), err)
	}
	return recorded, created, nil
}

// sellable refuses what can be refused without looking at other sales.
func (s *Service) sellable(ctx context.Context, offer counter.Offer) error {
	if err := s.stopped(); err != nil {
		return err
	}
	if err := check(ctx, offer); err != nil {
		return err
	}
	return s.refused(ctx, offer)
}

// stopped says why this process sends nothing that is recorded now.
func (s *Service) stopped() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.halted:
		return fault.New(fault.Unavailable, "till.restored")
	case s.draining:
		return fault.New(fault.Unavailable, "till.restarting")
	}
	return nil
}

// Check says what would stop a sale now, without making it, with the same errors as Sell, so that a page can
// tell before any cash is taken. Nil promises nothing. What a limit stops is on record from here on, since
// cashiers turn back when they read why. Where possible the provider is asked about the number; unchecked says
// that it did not answer in time.
func (s *Service) Check(ctx context.Context, offer counter.Offer) (unchecked bool, stop error) {
	sale := newSale(offer)
	allowed := allowing{approver: offer.Confirmed().Approver}
	var a around
	if err := s.d.DB.Answer(ctx, a.asked(&sale, s.d.Now())...); err != nil {
		return false, err
	}
	stop = s.d.Limits.Stopped(ctx, sale.measured(), s.guard(ctx, s.d.DB, &a, &sale, offer, &allowed))
	if stop != nil && !errors.As(stop, new(*DuplicateError)) {
		return false, stop
	}
	got, err := s.Validate(ctx, offer)
	if err != nil {
		return false, err
	}
	if got.Refused != nil {
		return false, &RefusedError{Refused: *got.Refused}
	}
	return got.Supported && !got.Checked, stop
}

// recordTries bounds how often two sales of a shift may race for the same receipt number.
const recordTries = 5

func (s *Service) record(ctx context.Context, sale Sale, offer counter.Offer) (Sale, bool, error) {
	for try := 1; ; try++ {
		recorded, err := s.recordOnce(ctx, sale, offer)
		if err == nil {
			failpoint.Hit("K2")
			return recorded, true, nil
		}
		if !errors.Is(err, gorm.ErrDuplicatedKey) {
			return Sale{}, false, err
		}
		earlier, lookErr := s.byKey(ctx, sale.IdempotencyKey, sale.ParamsHash) // a double click was quicker
		if lookErr != nil {
			return Sale{}, false, lookErr
		}
		if earlier != nil {
			return *earlier, false, nil
		}
		if try == recordTries {
			return Sale{}, false, fmt.Errorf("record sale: %w", err)
		}
	}
}

func (s *Service) recordOnce(ctx context.Context, sale Sale, offer counter.Offer) (Sale, error) {
	now := store.Moment(s.d.Now())
	sale.ID, sale.Code = store.NewID(now), randomText(readable, codeLength)
	allowed := allowing{approver: offer.Confirmed().Approver}
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		known, a, err := s.hold(ctx, tx, &sale, now)
		if err != nil {
			return err
		}
		if err := s.guard(ctx, tx, &a, &sale, offer, &allowed); err != nil {
			return err
		}
		if err := s.name(tx, &sale, known); err != nil {
			return err
		}
		if err := s.insert(ctx, tx, &sale, now, allowed.approver.ID == ""); err != nil || allowed.approver.ID == "" {
			return err
		}
		return s.recordAllowed(ctx, tx, &allowed, sale.measured(), offer.Seller().Actor(), "")
	})
	if err != nil {
		return Sale{}, err
	}
	return sale, nil
}

// name gives a new sale its ref, its receipt number and its send mode.
func (s *Service) name(tx *store.Tx, sale *Sale, k known) (err error) {
	if k.Install.outlived(sale.IdempotencyKey) {
		return fault.New(fault.Conflict, "page.before-restore")
	}
	if sale.Ref, err = makeRef(k.Install.Code, sale.ID, sale.Attempt); err != nil {
		return err
	}
	sale.Number = k.Number
	sale.SendMode, err = s.modeFor(tx.DB, sale)
	return err
}

// insert writes a new sale with its attempt, event and postings, and commits them if nothing follows.
func (s *Service) insert(ctx context.Context, tx *store.Tx, sale *Sale, now time.Time, last bool) error {
	o := Observation{Cause: Confirmed, At: now, Source: "counter", Actor: sale.CashierID}
	before := *sale
	change, err := Apply(before, o)
	if err != nil {
		return err
	}
	change.Sale.Events = 1
	*sale = change.Sale
	more, err := s.consequences(&change, o)
	if err != nil {
		return err
	}
	failpoint.Hit("K1")
	statements := tx.Joined(store.Inserted("sales", sale), append([]store.Statement{
		attemptStatement(sale), eventStatement(&before, sale, o),
	}, more...)...)
	if last {
		err = tx.ExecLast(ctx, statements...)
	} else {
		_, err = tx.ExecAll(ctx, statements...)
	}
	tx.AfterCommit(func() { s.announce(ctx, before, *sale, o) })
	return err
}

// subject names what only one sale at a time may be checked for: its number, or for PINs the till.
func (s *Sale) subject() string {
	if s.Addressed() {
		return s.AccountNumber
	}
	return s.TillID + "/" + s.SKUCode
}

// byKey returns the sale a key has already made, nil if none.
func (s *Service) byKey(ctx context.Context, key, hash string) (*Sale, error) {
	found, err := store.First[Sale](s.d.DB.Read(ctx).Where("idempotency_key = ?", key))
	if err == nil && found != nil && found.ParamsHash != hash {
		return nil, fault.New(fault.Conflict, "page.used-for-sale")
	}
	return found, fault.Doing("find sale by key", err)
}

func newSale(offer counter.Offer) Sale {
	return saleOf(offer.Seller(), offer.Terms(), offer.Confirmed())
}

func saleOf(seller counter.Seller, quoted counter.Terms, said counter.Confirmation) Sale {
	return Sale{
		IdempotencyKey: said.Key, ParamsHash: paramsHash(seller, quoted), Practice: quoted.Practice,
		ShopID: seller.ShopID, TillID: seller.TillID, ShiftID: seller.ShiftID,
		CashierID: seller.CashierID, Language: seller.Language,
		Terms: termsOf(quoted), GivenMicros: said.Given.Micros(),
		Fulfilment: None, Cash: CashNone, Send: Send{Attempt: 1},
	}
}

func termsOf(quoted counter.Terms) Terms {
	settings := append([]counter.Setting{}, quoted.Settings...) // none are "[]"
	raw, _ := json.Marshal(settings)                            // of texts: it never fails
	cost := quoted.Cost
	return Terms{
		CountryISO: quoted.CountryISO, ProviderCode: quoted.ProviderCode, ProviderName: quoted.ProviderName,
		CustomerCare: quoted.CustomerCare, SKUCode: quoted.SKUCode, ProductText: quoted.ProductText,
		Kind: quoted.Kind, ProcessingMode: quoted.ProcessingMode, Redemption: quoted.Redemption,
		Validity: quoted.Validity, AccountNumber: quoted.AccountNumber, Settings: string(raw), BillRef: quoted.BillRef,
		SendMicros: cost.Send.Micros(), CustomerFeeMicros: cost.CustomerFee.Micros(),
		DistributorFeeMicros: cost.DistributorFee.Micros(), SendCurrency: cost.Send.Currency(),
		ReceiveMicros: quoted.Receive.Micros(), ReceiveExTaxMicros: quoted.ReceiveExTax.Micros(),
		ReceiveCurrency: quoted.Receive.Currency(), TaxRate: quoted.TaxRate, TaxName: quoted.TaxName,
		TaxCalculation: quoted.TaxCalculation, CommissionRate: quoted.CommissionRate,
		PriceMicros: quoted.Price.Micros(), PriceCurrency: quoted.Price.Currency(),
	}
}

// checkGiven refuses cash below the price, and more than anybody hands over, such as a scanned number. Nobody
// gives the price and more than the largest note on top.
func checkGiven(given, price money.Amount) error {
	if given.IsZero() {
		return nil
	}
	short, err := given.Cmp(price)
	if err != nil {
		return err
	}
	if short < 0 {
		return fault.OnField("cash", "cash.less")
	}
	cash, err := till.CashOf(price.Currency())
	if err != nil || len(cash.Notes) == 0 {
		return err
	}
	most, err := price.Add(cash.Notes[0])
	if err != nil {
		return err
	}
	if over, err := given.Cmp(most); err != nil || over <= 0 {
		return err
	}
	return fault.OnField("cash", "cash.too-much")
}
