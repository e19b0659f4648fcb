package sales

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"airtill/internal/store"
)

const (
	base36      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	readable    = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's: nothing that looks like another letter
	refLength   = 32
	codeLength  = 8
	maxAttempts = 36*36 - 1
)

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

// install is a row of the table installations: the code that begins every ref
// made since then. A database that was restored from a backup has several.
type install struct {
	Code     string
	Since    time.Time
	Restored bool // there was another before it
}

// installation returns the one that counts, making one the first time.
func installation(tx *store.Tx, now time.Time) (install, error) {
	found, err := installed(tx)
	if err != nil || found.Code != "" {
		return found, err
	}
	if err := addInstallation(tx, now); err != nil {
		return install{}, err
	}
	return installed(tx)
}

func installed(tx *store.Tx) (found install, err error) {
	return store.Value[install](tx.Raw("SELECT " + installedColumns + " FROM installations " + newestFirst))
}

const (
	installedColumns = "code, since, (SELECT COUNT(*) FROM installations) > 1 AS restored"
	newestFirst      = "ORDER BY since DESC, code LIMIT 1"
)

func addInstallation(tx *store.Tx, since time.Time) error {
	return tx.Exec(
		"INSERT INTO installations (code, since) VALUES (?, ?) ON CONFLICT DO NOTHING",
		randomText(base36, codeOfInstallation), store.Moment(since),
	).Error
}

const codeOfInstallation = 4 // characters

// EnsureInstallation gives a new database its code.
func EnsureInstallation(tx *store.Tx, now time.Time) error {
	_, err := installation(tx, now)
	return err
}

// NewInstallation makes another code, under which every ref is made from now on.
// Attempts with an older one are never repeated: what became of them in the time
// that a restored backup has lost, nobody knows.
func NewInstallation(tx *store.Tx, now time.Time) (string, error) {
	before, err := installation(tx, now)
	if err != nil {
		return "", err
	}
	since := store.Moment(now)
	if !since.After(before.Since) {
		since = before.Since.Add(time.Microsecond)
	}
	for { // until the code is a new one
		if err := addInstallation(tx, since); err != nil {
			return "", err
		}
		if after, err := installed(tx); err != nil || after.Code != before.Code {
			return after.Code, err
		}
	}
}

// predates says whether an attempt was made before the installation was restored.
func (i install) predates(ref string) bool { return i.Restored && !strings.HasPrefix(ref, i.Code) }

// outlived says whether a form was made before the installation was restored: it
// may have been sent in the time that was lost. A key that is no ULID does not
// say when it was made.
func (i install) outlived(key string) bool {
	made, err := store.MadeAt(key)
	return i.Restored && err == nil && made.Before(i.Since)
}
