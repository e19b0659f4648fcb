package staff

import (
	"context"
	"crypto/rand"
	"strings"

	"airtill/internal/audit"
	"airtill/internal/store"
)

// recoveryKept is how many codes are made at once.
const recoveryKept = 10

// RenewRecovery makes new recovery codes for the actor; the old ones are no longer valid. It fails like ConfirmSecond.
func (s *Service) RenewRecovery(
	ctx context.Context, by audit.Actor, password, code, address string,
) (recovery []string, err error) {
	epoch, err := s.provePassword(ctx, by, password, address)
	if err != nil {
		return nil, err
	}
	return recovery, s.proveCode(ctx, by, code, address, func(tx *store.Tx, u User) error {
		if err := stillAt(epoch, u); err != nil {
			return err
		}
		if recovery, err = s.renewRecovery(tx, u.ID); err != nil {
			return err
		}
		return s.note(ctx, tx, by, audit.UserRecoveryRenewed, u.ID)
	})
}

func (s *Service) renewRecovery(tx *store.Tx, userID string) (codes []string, err error) {
	if err := tx.Exec("DELETE FROM recovery_codes WHERE user_id = ?", userID).Error; err != nil {
		return nil, err
	}
	for range recoveryKept {
		code := newCode()
		if err := tx.Exec(
			"INSERT INTO recovery_codes (user_id, code_hash) VALUES (?, ?)", userID, hashToken(plainCode(code)),
		).Error; err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// newCode is 80 random bits, in groups that are read aloud and typed.
func newCode() string {
	text := strings.ToLower(rand.Text())
	return text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:16]
}
