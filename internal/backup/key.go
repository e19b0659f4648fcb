package backup

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"filippo.io/age"
)

// Recipients reads public keys as age writes them (age1…).
func Recipients(keys []string) ([]age.Recipient, error) {
	if len(keys) == 0 {
		return nil, errors.New("nobody could read it: give --recipient age1…; web backup key makes such a key")
	}
	recipients, err := age.ParseRecipients(strings.NewReader(strings.Join(keys, "\n")))
	if err != nil {
		return nil, fmt.Errorf("--recipient: %w", err)
	}
	return recipients, nil
}

// Identities reads a file of the private keys that open backups.
func Identities(path string) (identities []age.Identity, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if identities, err = age.ParseIdentities(file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return identities, nil
}
