package reconcile

import (
	"context"
	"slices"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// list reads the newest pages, as far as the service allows.
func (s *Service) list(ctx context.Context) (Listed, error) {
	now := s.d.Now()
	l := Listed{window: Window{From: seenSince(now, apiclient.ListedFor), To: seenSince(now, settleFor), AskedAt: now}}
	currency, err := s.currency(ctx)
	if err != nil {
		return l, err
	}
	more := true
	for page := 0; more && page < apiclient.MaxPages; page++ {
		answer, err := s.d.Client.ListTransferRecords(ctx, apiclient.ListTransferRecordsRequest{
			Skip: page * apiclient.PageSize, Take: apiclient.PageSize,
		})
		if err != nil {
			return l, err
		}
		l.items = append(l.items, answer.Items...)
		more = answer.ThereAreMoreItems
	}
	for _, item := range l.items {
		r := readRecord(item, currency)
		l.records = append(l.records, r)
		if more && !r.At.IsZero() &&
			(l.window.From.Before(seenSince(s.d.Now(), apiclient.ListedFor-time.Hour)) || r.At.Before(l.window.From)) {
			l.window.From = r.At.Add(apiclient.ListMargin)
		}
	}
	if more && !slices.ContainsFunc(l.records, func(r Record) bool { return !r.At.IsZero() }) {
		l.window.From = l.window.To // how far it reaches is not told
	}
	if l.window.Installations, err = s.installations(ctx); err != nil {
		return l, err
	}
	if l.window.Declared, err = s.declared(ctx); err != nil {
		return l, err
	}
	l.window.Instant, err = s.instant(ctx, l.records)
	return l, err
}

// instant are the products, of transfers under way, that the catalogue knows to be no batches.
func (s *Service) instant(ctx context.Context, records []Record) (map[string]bool, error) {
	var skus []string
	for _, r := range records {
		if r.State.Open() {
			skus = append(skus, r.SKU)
		}
	}
	known := map[string]bool{}
	for part := range chunks(skus) {
		some, err := store.All[string](s.d.DB.Read(ctx).Raw(
			"SELECT sku FROM products WHERE sku IN ? AND processing_mode = 'Instant'", part,
		))
		if err != nil {
			return nil, fault.Doing("find products of transfers under way", err)
		}
		for _, sku := range some {
			known[sku] = true
		}
	}
	return known, nil
}

// currency is the agent's, from the last balance.
func (s *Service) currency(ctx context.Context) (money.Currency, error) {
	last, err := s.LastBalance(ctx)
	if err != nil || last == nil {
		return "", err
	}
	return last.Currency, nil
}

func (s *Service) installations(ctx context.Context) ([]string, error) {
	codes, err := store.All[string](s.d.DB.Read(ctx).Raw("SELECT code FROM installations"))
	return codes, fault.Doing("read installations", err)
}
