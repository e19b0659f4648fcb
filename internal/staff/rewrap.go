package staff

import (
	"context"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// RewrapSecrets seals the secrets of all apps again, and returns how many.
func (s *Service) RewrapSecrets(
	ctx context.Context, rewrap func(owner, sealed string) (fresh string, changed bool, err error),
) (count int, err error) {
	return count, fault.Doing("rewrap authenticators", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		count = 0
		apps, err := store.Pairs[string, string](tx.Table("authenticators").Select("user_id, secret"))
		if err != nil {
			return err
		}
		for userID, sealed := range apps {
			fresh, changed, err := rewrap(secretOf(userID), sealed)
			if err != nil {
				return err
			}
			if !changed {
				continue
			}
			count++
			if err := tx.Exec(
				"UPDATE authenticators SET secret = ? WHERE user_id = ? AND secret = ?", fresh, userID, sealed,
			).Error; err != nil {
				return err
			}
		}
		return nil
	}))
}
