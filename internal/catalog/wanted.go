package catalog

import (
	"context"
	"slices"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Want has the texts of products and promotions fetched in a customer's language,
// from now on. A language that is fetched anyway, or that is none of Deps.Further,
// costs nothing.
func (s *Service) Want(ctx context.Context, language string) error {
	_, known := s.wanted.Load(language)
	if known || slices.Contains(s.d.Languages, language) || !slices.Contains(s.d.Further, language) {
		return nil
	}
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		const want = "INSERT INTO wanted_languages (language, since) VALUES (?, ?) ON CONFLICT DO NOTHING"
		made := tx.Exec(want, language, store.Moment(s.d.Now()))
		if made.Error != nil || made.RowsAffected == 0 {
			return made.Error
		}
		return tx.Enqueue(ctx, SyncTextsArgs{}, nil)
	})
	if err != nil {
		return fault.Doing("want texts in "+language, err)
	}
	s.wanted.Store(language, true)
	return nil
}

// wantedMeanwhile asks for the texts once more if a language was wanted while a run of them was under way. The run may
// have begun without it, and the job that Want made finds the texts held.
func (r *run) wantedMeanwhile(ctx context.Context, tx *store.Tx) error {
	if r.Resource != Texts && r.Resource != PromotionTexts {
		return nil
	}
	var wanted bool
	const sql = "SELECT EXISTS (SELECT 1 FROM wanted_languages WHERE since > ? AND since <= ?)"
	if err := tx.Raw(sql, r.StartedAt, *r.EndedAt).Scan(&wanted).Error; err != nil || !wanted {
		return err
	}
	return tx.Enqueue(ctx, SyncTextsArgs{}, nil)
}

// textLanguages are those that texts are fetched in: the till's own, and what
// customers wanted.
func (s *Service) textLanguages(ctx context.Context) ([]string, error) {
	const wanted = "SELECT language FROM wanted_languages WHERE language NOT IN ? ORDER BY language"
	further, err := store.All[string](s.d.DB.Read(ctx).Raw(wanted, s.d.Languages))
	return slices.Concat(s.d.Languages, further), err
}
