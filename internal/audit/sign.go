package audit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Key signs entries. It is outside the database, so that writing there is not enough to forge a chain.
type Key struct {
	ID     string
	Secret []byte
}

// sign returns the signature of an entry's hash.
func (k Key) sign(hash string) string {
	mac := hmac.New(sha256.New, k.Secret)
	mac.Write([]byte(hash)) // never fails
	return k.ID + ":" + hex.EncodeToString(mac.Sum(nil))
}

// sign signs an entry with the newest key. A signed chain is not continued without a key.
func (l *Log) sign(tx *store.Tx, r *Record) error {
	if len(l.d.Keys) > 0 {
		r.MAC = l.d.Keys[0].sign(r.Hash)
		return nil
	}
	var last string
	if err := tx.Raw("SELECT mac FROM audit_entries WHERE seq = ?", r.Seq-1).Scan(&last).Error; err != nil {
		return err
	}
	if last != "" {
		return fault.New(fault.Invalid, "audit.no-key")
	}
	return nil
}

// Begin signs the end of a chain without signatures, as older versions wrote.
func (l *Log) Begin(ctx context.Context, by Actor) error {
	if len(l.d.Keys) == 0 {
		return nil
	}
	return fault.Doing("sign audit chain", l.d.DB.Tx(ctx, func(tx *store.Tx) error {
		last, err := store.First[Record](tx.Order("seq DESC"))
		if err != nil || last == nil || last.MAC != "" {
			return err
		}
		signed, err := store.First[Record](tx.Where("mac <> ''"))
		if err != nil || signed != nil {
			return err
		}
		return l.Write(ctx, tx, Entry{Actor: by, Act: AuditSigned, Subject: Of(VaultKey, l.d.Keys[0].ID)})
	}))
}

// KeysFit fails if the newest signature was made with another key of the same name, as with another till's key
// file: further signatures would be in vain.
func (l *Log) KeysFit(ctx context.Context) error {
	newest, err := store.First[Record](l.d.DB.Read(ctx).Where("mac <> ''").Order("seq DESC"))
	if err != nil || newest == nil {
		return fault.Doing("compare audit keys", err)
	}
	pass := signatures{keys: l.d.Keys}
	if pass.step(*newest) != "" {
		return fault.New(fault.Invalid, "audit.other-key")
	}
	return nil
}

// lateSigning is how long after our first signature entries without one may come from processes of an older version,
// or with the signature of a key that is gone from processes that still had it.
const lateSigning = 24 * time.Hour

// signatures is what one pass has seen of them.
type signatures struct {
	keys        []Key
	first, last time.Time // of validly signed entries
	tail        string    // what is wrong with the newest signature
}

// step returns what is wrong with an entry's signature, "" if nothing is.
func (s *signatures) step(r Record) string {
	if len(s.keys) == 0 {
		return ""
	}
	id, _, _ := strings.Cut(r.MAC, ":")
	k := slices.IndexFunc(s.keys, func(k Key) bool { return k.ID == id })
	s.tail = ""
	problem := "unsigned"
	switch {
	case r.MAC == "":
	case k < 0:
		problem = "unknownKey"
	case !hmac.Equal([]byte(s.keys[k].sign(r.Hash)), []byte(r.MAC)):
		return "notOurs"
	default:
		if s.first.IsZero() {
			s.first = r.At
		}
		s.last = r.At
		return ""
	}
	if !s.first.IsZero() && (s.late(r.At) || s.late(s.last)) {
		return problem
	}
	s.tail = problem // what follows may vouch for it
	return ""
}

func (s *signatures) late(at time.Time) bool { return at.Sub(s.first) > lateSigning }
