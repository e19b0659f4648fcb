package sales

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// Verdict is what became of a webhook with a valid signature.
type Verdict string

// The verdicts.
const (
	Applied    Verdict = "applied"  // fed to the reducer, possibly without news
	Repeated   Verdict = "repeated" // the same body as before
	ForeignRef Verdict = "foreign"  // not about a sale of ours, or not matching it: quarantined
)

// Notify takes an opened webhook: one transaction stores it, sealed, and applies it to the sale named in its
// signed body. It asks nothing of the upstream. Webhooks that come during a write share the next transaction.
func (s *Service) Notify(ctx context.Context, n *apiclient.Notification) (Verdict, error) {
	verdict, err := s.notices.do(ctx, n)
	if err != nil {
		return "", fmt.Errorf("take webhook: %w", err)
	}
	s.metrics.webhooks.WithLabelValues(string(verdict)).Inc()
	return verdict, nil
}

// takeWebhooks takes webhooks in one transaction, all or none.
func (s *Service) takeWebhooks(ctx context.Context, all []*apiclient.Notification) (verdicts []Verdict, err error) {
	verdicts = make([]Verdict, len(all))
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		fresh, err := s.keepWebhooks(ctx, tx, all)
		if err != nil {
			return err
		}
		before, err := lockAll(ctx, tx, slices.Collect(maps.Values(fresh)))
		if err != nil {
			return err
		}
		for i, n := range all {
			saleID, first := fresh[n.Digest]
			delete(fresh, n.Digest) // the same may have come twice at once
			switch {
			case !first:
				verdicts[i] = Repeated
			case saleID == "":
				verdicts[i] = ForeignRef
				err = s.quarantine(ctx, tx, n, "", "a webhook names a transfer that is not ours")
			default:
				verdicts[i], err = s.notifySale(ctx, tx, n, before, saleID)
				failpoint.Hit("K9")
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return verdicts, err
}

// notifySale applies a webhook to one of the locked sales.
func (s *Service) notifySale(
	ctx context.Context, tx *store.Tx, n *apiclient.Notification, locked map[string]Sale, saleID string,
) (Verdict, error) {
	before, known := locked[saleID]
	if !known {
		return "", errNoSale
	}
	verdict := Applied
	after, err := s.moveLocked(ctx, tx, before, func(tx *store.Tx, sale Sale) (Observation, error) {
		o := reader{vault: s.d.Vault, sale: &sale, ref: sale.Ref, now: store.Moment(s.d.Now())}.notified(n)
		switch {
		case o.Ref != sale.Ref:
			return o, s.lookAt(tx, o.Ref) // an earlier attempt: the list decides
		case o.Alert == Foreign:
			verdict = ForeignRef
			tells := Observation{Cause: Notified, At: o.At} // says nothing of this sale
			return tells, s.quarantine(ctx, tx, n, saleID, "a webhook names another product or number than its sale")
		}
		return o, nil
	})
	locked[saleID] = after
	if err == nil && before.Erased() { // its body names whose sale it was
		err = tx.Exec("UPDATE webhooks SET sealed_body = '' WHERE digest = ?", n.Digest).Error
	}
	return verdict, err
}

// notified reads a webhook like the answer to SendTransfer. A failed transfer comes with its error codes and a
// Failed record.
func (r reader) notified(n *apiclient.Notification) Observation {
	o := Observation{Cause: Notified, Ref: n.DistributorRef(), At: r.now, Source: "webhook"}
	o = r.record(o, n.Response.TransferRecord)
	if o.State == Failed {
		o.ReasonCode, o.ReasonContext = reason(n.Response.ErrorCodes)
	}
	return o
}

// saleOfRef is the sale that a ref was made for, "" for none of ours.
func saleOfRef(tx *store.Tx, ref string) (saleID string, err error) {
	return store.Value[string](tx.Raw("SELECT sale_id FROM attempts WHERE ref = ?", ref))
}

// keepWebhooks stores webhooks and returns the new ones: by digest, the sale each names, "" for none of ours.
// They are stored in order of digests, so that two processes given the same ones do not deadlock.
func (s *Service) keepWebhooks(
	ctx context.Context, tx *store.Tx, all []*apiclient.Notification,
) (fresh map[string]string, err error) {
	const row = "(?,?,?,?,?,?,COALESCE((SELECT sale_id FROM attempts WHERE ref = ?), ''),?,?)"
	var args []any
	now := store.Moment(s.d.Now())
	for _, n := range slices.SortedFunc(slices.Values(all), byDigest) {
		body, err := s.d.Vault.Seal(n.Digest, vault.Receipt{Text: string(n.Body)})
		if err != nil {
			return nil, err
		}
		args = append(args, store.NewID(now), n.Digest, now, store.Moment(n.SignedAt), n.Encrypted,
			Clip(n.DistributorRef()), n.DistributorRef(), Applied, body)
	}
	fresh = map[string]string{}
	err = tx.Rows(ctx, store.Query{
		SQL: `INSERT INTO webhooks
			(id, digest, received_at, signed_at, encrypted, ref, sale_id, verdict, sealed_body)
		VALUES ` + row + strings.Repeat(","+row, len(all)-1) + `
		ON CONFLICT (digest) DO NOTHING RETURNING digest, sale_id`,
		Args: args,
		Row: func(scan store.Scanner) error {
			var digest, saleID string
			err := scan(&digest, &saleID)
			fresh[digest] = saleID
			return err
		},
	})
	for i := 0; err == nil && failpoint.Broken("repeat") && i < len(all); i++ {
		fresh[all[i].Digest], err = saleOfRef(tx, all[i].DistributorRef())
	}
	return fresh, err
}

func byDigest(a, b *apiclient.Notification) int { return strings.Compare(a.Digest, b.Digest) }

// quarantine stores a webhook that is not applied, and tells people.
func (s *Service) quarantine(ctx context.Context, tx *store.Tx, n *apiclient.Notification, saleID, note string) error {
	_, err := tx.ExecAll(ctx,
		store.Statement{SQL: "UPDATE webhooks SET verdict = ? WHERE digest = ?", Args: []any{ForeignRef, n.Digest}},
		incidentStatement(Incident{Kind: Foreign, SaleID: saleID, Note: note, At: store.Moment(s.d.Now())}))
	return err
}

// LookSoon makes the look-up of a ref due at once, after a hint that something happened to it.
func (s *Service) LookSoon(ctx context.Context, ref string) error {
	return fault.Doing("look soon", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		saleID, err := saleOfRef(tx, ref)
		if err != nil || saleID == "" {
			return err
		}
		return s.lookAt(tx, ref)
	}))
}

// lookAt makes the look-up of a ref due, a current or a replaced one.
func (s *Service) lookAt(tx *store.Tx, ref string) error {
	now := store.Moment(s.d.Now())
	const soon = " SET next_check_at = ? WHERE ref = ? AND permit_at IS NOT NULL AND (next_check_at IS NULL OR " +
		"next_check_at > ?)"
	if err := tx.Exec("UPDATE sales"+soon, now, ref, now).Error; err != nil {
		return err
	}
	return tx.Exec("UPDATE attempts"+soon+" AND late = ?", now, ref, now, false).Error
}

// Clip shortens a foreign text to 64 bytes at most, but not within a character, which PostgreSQL would not store.
func Clip(text string) string {
	const most = 64
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}
