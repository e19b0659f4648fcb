package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"

	"airtill/internal/fault"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// derived makes a key for a purpose of another: one secret less to look after.
func derived(secret, purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, []byte(secret), nil, purpose, sha256.Size)
}

// numbersKey is derived from the vault's first key, as a file with that one alone has it: an older key may leave the
// file, and a remark come in.
func (b *Books) numbersKey(purpose string) ([]byte, error) {
	text, err := b.vaultKey()
	if err != nil {
		return nil, err
	}
	lines := keyLines(text)
	if len(lines) == 0 {
		return nil, errors.New("vault key: the file has no key")
	}
	return derived(lines[0]+"\n", purpose)
}

// keyLines are the lines with a key, the one that seals first.
func keyLines(file string) (lines []string) {
	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// The purposes of derived keys. A new vault key only makes known numbers unknown, and the catalogue is read from the
// database once.
const (
	rememberedNumbers  = "airtill remembered numbers"
	numbersInAddresses = "airtill numbers in addresses"
	catalogueInRedis   = "airtill catalogue in Redis"
	auditTrail         = "airtill audit trail"
)

// keepsVaultKey refuses a SQLite file in use whose vault key is gone: with a new one no PIN that was sold opens any
// more.
func (b *Books) keepsVaultKey(ctx context.Context) error {
	if b.d.VaultKey+b.Config.VaultKeyFile != "" || !strings.HasPrefix(b.Config.DatabaseURL, "sqlite:") {
		return nil
	}
	path := b.Config.VaultKeyPath()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if used, err := b.DB.Used(ctx); err != nil || !used {
		return fault.Doing("look for the vault key", err)
	}
	return fmt.Errorf("vault key: %s is gone. Without it no PIN can be read, and the audit trail cannot be checked. "+
		"Put it back from your copy. If you have none, those are lost, and this makes a new key: "+
		"(umask 077; echo \"k1:$(openssl rand -hex 32)\" > %s)", path, path)
}

// writeVaultKey makes a file with a new key; it never overwrites one.
func writeVaultKey(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(vault.NewKey())
	return errors.Join(err, store.OwnedAsFolder(file), file.Sync(), file.Close())
}
