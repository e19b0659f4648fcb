package sales

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"gorm.io/gorm"

	"airtill/internal/failpoint"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/store"
)

// Sell records a sale: the cash is taken and the float reserved in one commit.
// It does not send; call Dispatch with what it returns. The same key gives the
// same sale however often it comes, with created false.
//
// It fails with *ChangedError, *DuplicateError or *UnknownError where the
// cashier must decide, and with a fault otherwise; then nothing was sold.
func (s *Service) Sell(ctx context.Context, seller Seller, order Order, offer Offer) (sale Sale, created bool, err error) {
	hash, err := order.paramsHash(seller, offer)
	if err != nil {
		return Sale{}, false, err
	}
	if earlier, err := s.byKey(ctx, order.Key, hash); err != nil || earlier != nil {
		if err != nil {
			return Sale{}, false, err
		}
		return *earlier, false, nil
	}
	if s.isDraining() {
		return Sale{}, false, fault.New(fault.Unavailable, "The till is restarting. Nothing was sold. Try again in a moment.")
	}
	if err := order.check(offer, seller); err != nil {
		return Sale{}, false, err
	}
	if order.Shown != offer.Price {
		return Sale{}, false, &ChangedError{Offer: offer}
	}
	sale, err = newSale(seller, order, offer, hash)
	if err != nil {
		return Sale{}, false, err
	}
	return s.record(ctx, sale, order)
}

// recordTries bounds how often two sales of one shift may race for the same
// receipt number.
const recordTries = 5

func (s *Service) record(ctx context.Context, sale Sale, order Order) (Sale, bool, error) {
	for try := 1; ; try++ {
		recorded, err := s.recordOnce(ctx, sale, order)
		if err == nil {
			failpoint.Hit("K2")
			return recorded, true, nil
		}
		if !errors.Is(err, gorm.ErrDuplicatedKey) {
			return Sale{}, false, err
		}
		earlier, lookErr := s.byKey(ctx, order.Key, sale.ParamsHash) // a double click was quicker
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

func (s *Service) recordOnce(ctx context.Context, sale Sale, order Order) (Sale, error) {
	now := store.Moment(s.Now())
	sale.ID, sale.Code = NewID(now), randomText(readable, codeLength)
	err := s.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := s.guard(ctx, tx, sale, order, now); err != nil {
			return err
		}
		code, err := installation(tx, now)
		if err != nil {
			return err
		}
		if sale.Ref, err = makeRef(code, sale.ID, sale.Attempt); err != nil {
			return err
		}
		if err := tx.Raw("SELECT COALESCE(MAX(number), 0) + 1 FROM sales WHERE shift_id = ?", sale.ShiftID).Scan(&sale.Number).Error; err != nil {
			return err
		}
		return s.insert(ctx, tx, &sale, now)
	})
	if err != nil {
		return Sale{}, err
	}
	return sale, nil
}

// insert writes a new sale with its attempt, event and postings.
func (s *Service) insert(ctx context.Context, tx *store.Tx, sale *Sale, now time.Time) error {
	o := Observation{Cause: Confirmed, At: now, Source: "counter", Actor: sale.CashierID}
	before := *sale
	change, err := Apply(before, o)
	if err != nil {
		return err
	}
	change.Sale.Events = 1
	*sale = change.Sale
	if err := tx.Create(sale).Error; err != nil {
		return err
	}
	more, err := s.consequences(&change, o)
	if err != nil {
		return err
	}
	failpoint.Hit("K1")
	_, err = tx.ExecAll(ctx, append([]store.Statement{attemptStatement(sale), eventStatement(&before, sale, o)}, more...)...)
	tx.AfterCommit(func() { s.announce(ctx, before, *sale, o) })
	return err
}

// guard checks, inside the transaction, what two cashiers at once could break.
func (s *Service) guard(ctx context.Context, tx *store.Tx, sale Sale, order Order, now time.Time) error {
	if err := serialize(tx, sale.AccountNumber+"/"+sale.SKUCode); err != nil {
		return err
	}
	var open int64
	if err := tx.Raw("SELECT COUNT(*) FROM shifts WHERE id = ? AND till_id = ? AND closed_at IS NULL", sale.ShiftID, sale.TillID).Scan(&open).Error; err != nil {
		return err
	}
	if open == 0 {
		return fault.New(fault.Conflict, "The shift at this till was closed. Open a new one first. Nothing was sold.")
	}
	if err := s.guardSame(tx, sale, order, now); err != nil {
		return err
	}
	if sale.Practice {
		return nil
	}
	return s.guardFloat(ctx, tx, sale)
}

// guardSame refuses a sale whose twin is still open, and asks about one that
// was already made today.
func (s *Service) guardSame(tx *store.Tx, sale Sale, order Order, now time.Time) error {
	var twins []Sale
	err := tx.Where("account_number = ? AND sku_code = ? AND recorded_at > ?", sale.AccountNumber, sale.SKUCode, store.Moment(now.Add(-24*time.Hour))).
		Order("id DESC").Limit(50).Find(&twins).Error
	if err != nil {
		return err
	}
	var same *Sale
	for i, twin := range twins {
		if twin.Fulfilment.Open() && !order.Override {
			return &UnknownError{Earlier: twin}
		}
		if same == nil && twin.Fulfilment == Complete && twin.SendMicros == sale.SendMicros {
			same = &twins[i]
		}
	}
	if same != nil && !order.Again {
		return &DuplicateError{Earlier: *same}
	}
	return nil
}

var errFloat = fault.New(fault.Unavailable, "The float is too low for this sale. Nothing was sold. Do not take cash. Tell your manager.")

// guardFloat refuses before money is taken what the upstream would refuse
// after. The check reads and locks nothing: two sales at the edge may both
// pass, and the upstream then refuses one.
func (s *Service) guardFloat(ctx context.Context, tx *store.Tx, sale Sale) error {
	total, err := sale.Quoted().Total()
	if err != nil {
		return err
	}
	var refused int64
	if err := tx.Raw("SELECT COUNT(*) FROM incidents WHERE kind = ? AND closed_at IS NULL", NoFloat).Scan(&refused).Error; err != nil {
		return err
	}
	available, err := ledger.BalanceIn(ctx, tx.DB, ledger.Float, sale.SendCurrency)
	if err != nil {
		return err
	}
	enough, err := available.Cmp(total)
	if err != nil {
		return err
	}
	if refused > 0 || enough < 0 {
		return errFloat
	}
	return nil
}

// serialize lets only one transaction at a time pass for one number and
// product, so that its guards see each other's sales. SQLite's only writer
// does that by itself.
func serialize(tx *store.Tx, subject string) error {
	if tx.Dialect() != store.Postgres {
		return nil
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(subject))                                           // a hash never fails
	return tx.Exec("SELECT pg_advisory_xact_lock(?)", int64(h.Sum64())).Error // any 64 bits will do
}

// byKey returns the sale that a key has made already, nil if none.
func (s *Service) byKey(ctx context.Context, key, hash string) (*Sale, error) {
	var found []Sale
	if err := s.DB.Read(ctx).Where("idempotency_key = ?", key).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("find sale by key: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	if found[0].ParamsHash != hash {
		return nil, fault.New(fault.Conflict, "This page has already been used for another sale. Look the number up again. Nothing new was sold.")
	}
	return &found[0], nil
}

func newSale(seller Seller, order Order, offer Offer, hash string) (Sale, error) {
	settings := order.Settings
	if settings == nil {
		settings = []Setting{}
	}
	raw, err := json.Marshal(settings)
	if err != nil {
		return Sale{}, fmt.Errorf("record sale: %w", err)
	}
	return Sale{
		IdempotencyKey: order.Key, ParamsHash: hash, Practice: isTestNumber(order.AccountNumber, offer.TestNumber),
		ShopID: seller.ShopID, TillID: seller.TillID, ShiftID: seller.ShiftID, CashierID: seller.CashierID, Language: seller.Language,
		CountryISO: offer.CountryISO, ProviderCode: offer.ProviderCode, ProviderName: offer.ProviderName, CustomerCare: offer.CustomerCare,
		SKUCode: offer.SKUCode, ProductText: offer.ProductText, Kind: offer.Kind, ProcessingMode: offer.ProcessingMode,
		Redemption: offer.Redemption, Validity: offer.Validity,
		AccountNumber: order.AccountNumber, Settings: string(raw), BillRef: order.BillRef,
		SendMicros: offer.Cost.Send.Micros(), CustomerFeeMicros: offer.Cost.CustomerFee.Micros(),
		DistributorFeeMicros: offer.Cost.DistributorFee.Micros(), SendCurrency: offer.Cost.Send.Currency(),
		ReceiveMicros: offer.Receive.Micros(), ReceiveExTaxMicros: offer.ReceiveExTax.Micros(), ReceiveCurrency: offer.Receive.Currency(),
		TaxRate: offer.TaxRate, TaxName: offer.TaxName, TaxCalculation: offer.TaxCalculation, CommissionRate: offer.CommissionRate,
		PriceMicros: offer.Price.Micros(), PriceCurrency: offer.Price.Currency(),
		Fulfilment: None, Cash: CashNone, Attempt: 1,
	}, nil
}

// isTestNumber: the upstream executes nothing for a product's test number,
// whatever its last digit, which picks the outcome.
func isTestNumber(number, test string) bool {
	test = digits(test)
	return len(test) > 1 && len(number) == len(test) && number[:len(number)-1] == test[:len(test)-1]
}
