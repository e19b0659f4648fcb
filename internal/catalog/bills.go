package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm/clause"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// BillAsk is whose bills are asked for: the same question finds the same bills, and a bill belongs to its
// question.
type BillAsk struct {
	SKU      string
	Account  string // bare digits, as sent in SendTransfer
	Settings []apiclient.Setting
}

// Bill is one bill of an account, paid in full: the interface names one price for it and no parts
// (INTERFACE.md, Estimation, cancellation and bills).
type Bill struct {
	ID         string // our name for it; Ref stays on the server
	Ref        string // BillRef of the paying SendTransfer
	Price      Price
	Info       []BillInfo // what the provider tells about it
	Payable    bool       // the product can be sent for its price
	AskedAt    time.Time  `json:"-"`
	ValidUntil time.Time  `json:"-"`
}

// BillsShown is how many bills of an account a page shows. One more is found, so that it can say that there are more.
const BillsShown = 40

// BillInfo is a line of AdditionalInfo, text from outside.
type BillInfo struct{ Name, Value string }

const (
	// billsWait is how long a cashier's screen waits for a provider.
	billsWait = 8 * time.Second
	// billsAnyway is how long the question lives: a late answer is there for the next try.
	billsAnyway = 25 * time.Second
	// billsFresh is how long a bill can be chosen and paid once found.
	billsFresh = 10 * time.Minute
	// billsRetained is how long a submitted form can still name its bill.
	billsRetained = 24 * time.Hour

	mostBills    = BillsShown + 1
	maxBillInfo  = 12
	maxBillChars = 200
)

// billLookup is a row of bill_lookups.
type billLookup struct {
	Subject    string `gorm:"primaryKey"`
	Bills      string
	AskedAt    time.Time
	ValidUntil time.Time
}

// Bills returns what an account owes, from a recent answer or else from the provider. An empty list means that
// nothing is owed. It fails with fault.Invalid on the field "number" or "settings" if the provider refuses
// these, and with fault.Unavailable if no answer comes in time.
func (s *Service) Bills(ctx context.Context, ask BillAsk) ([]Bill, error) {
	subject, err := s.billSubject(ask)
	if err != nil {
		return nil, err
	}
	q := question{key: "bills " + subject, wait: billsWait, life: billsAnyway, late: errBillsLate}
	return answer(ctx, s, q, func(ctx context.Context) ([]Bill, error) { return s.askBills(ctx, ask, subject) })
}

// Bill returns the bill with an id if it belongs to this question; nil if the number or a setting has changed,
// or it was never found. It may be past its ValidUntil.
func (s *Service) Bill(ctx context.Context, ask BillAsk, id string) (*Bill, error) {
	subject, err := s.billSubject(ask)
	if err != nil {
		return nil, err
	}
	known, err := s.recallBills(ctx, subject)
	if err != nil || known == nil {
		return nil, err
	}
	bills, err := known.read()
	i := slices.IndexFunc(bills, func(b Bill) bool { return b.ID == id })
	if i < 0 || !bills[i].Payable {
		return nil, err
	}
	return &bills[i], nil
}

// SpendBills makes the next question ask the provider again: one of the bills is being paid.
func (s *Service) SpendBills(ctx context.Context, ask BillAsk) error {
	subject, err := s.billSubject(ask)
	if err != nil {
		return err
	}
	return fault.Doing(
		"spend bills",
		s.d.DB.Exec(ctx, "UPDATE bill_lookups SET valid_until = ? WHERE subject = ?", store.Moment(s.d.Now()), subject),
	)
}

var (
	errBillsLate = fault.New(fault.Unavailable, "bill.late")
	errNoBills   = fault.New(fault.Unavailable, "bill.no-lookup")
)

// askBills returns a recent answer, or asks the provider through the upstream and stores the answer.
func (s *Service) askBills(ctx context.Context, ask BillAsk, subject string) ([]Bill, error) {
	known, err := s.recallBills(ctx, subject)
	if err != nil {
		return nil, err
	}
	if known != nil && s.d.Now().Before(known.ValidUntil) {
		return known.read()
	}
	product, sold := s.Current().Product(ask.SKU)
	if !sold {
		return nil, fault.New(fault.NotFound, "product.gone")
	}
	reply, err := s.d.Upstream.LookupBills(apiclient.WithPriority(ctx, apiclient.PriorityCashier),
		apiclient.LookupBillsRequest{SkuCode: ask.SKU, AccountNumber: ask.Account, Settings: ask.Settings})
	if err != nil {
		s.d.Log.Warn("catalog.bills_failed", "sku", ask.SKU, "error", err)
		return nil, billsFault(err)
	}
	bills := []Bill{}
	for _, w := range reply.Items {
		if len(bills) == mostBills {
			break
		}
		bill, err := s.billFrom(&w, subject, product)
		if err != nil {
			s.d.Log.Warn("catalog.bill_unreadable", "sku", ask.SKU, "error", err)
			continue
		}
		bills = append(bills, bill)
	}
	if len(bills) == 0 && len(reply.Items) > 0 {
		return nil, errNoBills // none was readable, which is not "nothing is owed"
	}
	return s.storeBills(ctx, subject, s.distinct(bills))
}

// distinct tells bills apart that share a reference, as what is due now and all that is owed may: by their amounts. The
// same one twice is one.
func (s *Service) distinct(bills []Bill) []Bill {
	sharing := map[string]int{}
	for _, b := range bills {
		sharing[b.ID]++
	}
	all := []Bill{}
	for _, b := range bills {
		if sharing[b.ID] > 1 {
			b.ID = s.hash(b.ID + " " + b.Price.Send().String())
		}
		if !slices.ContainsFunc(all, func(other Bill) bool { return other.ID == b.ID }) {
			all = append(all, b)
		}
	}
	return all
}

// billsFault says what a refusal means to the cashier.
func billsFault(err error) error {
	var refused *apiclient.Error
	switch known := errors.As(err, &refused); {
	case !known:
	case refused.Has(apiclient.CodeAccountNumberInvalid):
		return fault.Wrap(err, fault.Invalid, "bill.account").On("number")
	case refused.ResultCode == apiclient.ResultClient && !refused.Has(apiclient.CodeAuthenticationFailed):
		return fault.Wrap(err, fault.Invalid, "bill.details").On("settings")
	case refused.ResultCode == 0,
		refused.HasContext(apiclient.CodeTransientProviderError, apiclient.ContextProviderTimedOut):
		return apiclient.Told(err, fault.Unavailable, errBillsLate.Code)
	}
	return apiclient.Told(err, fault.Unavailable, errNoBills.Code)
}

// billFrom reads a bill. Its id is made from its Ref, so that the same bill keeps its id.
func (s *Service) billFrom(w *apiclient.Bill, subject string, p *Product) (Bill, error) {
	price, err := priceFrom(&w.Price)
	switch {
	case err != nil:
		return Bill{}, err
	case w.BillRef == "":
		return Bill{}, errors.New("a bill without a reference")
	case price.absurdFee():
		return Bill{}, errors.New("a fee is negative or exceeds the price")
	}
	b := Bill{ID: s.hash(subject + " " + w.BillRef), Ref: w.BillRef, Price: price}
	b.Payable = price.SendCurrency == p.Minimum.SendCurrency && price.SendMicros >= p.Minimum.SendMicros &&
		price.SendMicros <= p.Maximum.SendMicros
	for name, value := range w.AdditionalInfo {
		b.Info = append(b.Info, BillInfo{Name: clip(name), Value: clip(value)})
	}
	slices.SortFunc(b.Info, func(x, y BillInfo) int { return cmp.Compare(x.Name, y.Name) })
	b.Info = b.Info[:min(len(b.Info), maxBillInfo)]
	return b, nil
}

// clip bounds a text from outside to what a card can show.
func clip(text string) string {
	letters := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	return string(letters[:min(len(letters), maxBillChars)])
}

func (s *Service) storeBills(ctx context.Context, subject string, bills []Bill) ([]Bill, error) {
	text, err := json.Marshal(bills)
	if err != nil {
		return nil, fmt.Errorf("store bills: %w", err)
	}
	now := store.Moment(s.d.Now())
	row := billLookup{Subject: subject, Bills: string(text), AskedAt: now, ValidUntil: now.Add(billsFresh)}
	if err := s.replace(ctx, &row); err != nil {
		return nil, fmt.Errorf("store bills: %w", err)
	}
	return row.read()
}

// replace stores a row in the place of one with the same key.
func (s *Service) replace(ctx context.Context, row any) error {
	return s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(row).Error
	})
}

func (s *Service) recallBills(ctx context.Context, subject string) (*billLookup, error) {
	row, err := store.First[billLookup](s.d.DB.Read(ctx).Where("subject = ?", subject))
	return row, fault.Doing("recall bills", err)
}

func (row *billLookup) read() ([]Bill, error) {
	var bills []Bill
	if err := json.Unmarshal([]byte(row.Bills), &bills); err != nil {
		return nil, fmt.Errorf("read bills: %w", err)
	}
	for i := range bills {
		bills[i].AskedAt, bills[i].ValidUntil = row.AskedAt, row.ValidUntil
	}
	return bills, nil
}

// billSubject is the keyed hash of a question, whatever the order of its settings.
func (s *Service) billSubject(ask BillAsk) (string, error) {
	settings := slices.Clone(ask.Settings)
	slices.SortFunc(settings, func(a, b apiclient.Setting) int { return cmp.Compare(a.Name, b.Name) })
	text, err := json.Marshal([]any{"bills", ask.SKU, ask.Account, settings})
	if err != nil {
		return "", fmt.Errorf("name the bills of an account: %w", err)
	}
	return s.hash(string(text)), nil
}
