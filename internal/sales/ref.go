package sales

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"airtill/internal/store"
)

const (
	base36      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	readable    = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's: nothing that looks like another letter
	refLength   = 32
	codeLength  = 8
	maxAttempts = 36*36 - 1
)

// NewID returns a ULID: sortable text, random past the millisecond.
func NewID(now time.Time) string {
	return ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
}

// makeRef builds the DistributorRef of an attempt: installation, sale, attempt.
func makeRef(installation, saleID string, attempt int) (string, error) {
	if attempt < 1 || attempt > maxAttempts {
		return "", fmt.Errorf("attempt %d of a sale", attempt)
	}
	ref := installation + saleID + string(base36[attempt/36]) + string(base36[attempt%36])
	if len(ref) != refLength {
		return "", fmt.Errorf("ref of %d characters", len(ref))
	}
	return ref, nil
}

// randomText draws characters of an alphabet whose length divides 256 evenly
// or nearly so; these are names, not secrets.
func randomText(alphabet string, length int) string {
	raw := make([]byte, length)
	_, _ = rand.Read(raw) // never fails
	var b strings.Builder
	for _, r := range raw {
		b.WriteByte(alphabet[int(r)%len(alphabet)])
	}
	return b.String()
}

// installation returns the code that begins this database's refs, making one
// the first time.
func installation(tx *store.Tx, now time.Time) (string, error) {
	read := func() (code string, err error) {
		err = tx.Raw("SELECT code FROM installations ORDER BY since DESC, code LIMIT 1").Scan(&code).Error
		return code, err
	}
	code, err := read()
	if err != nil || code != "" {
		return code, err
	}
	if err := tx.Exec("INSERT INTO installations (code, since) VALUES (?, ?) ON CONFLICT DO NOTHING", randomText(base36, 4), store.Moment(now)).Error; err != nil {
		return "", err
	}
	return read()
}
