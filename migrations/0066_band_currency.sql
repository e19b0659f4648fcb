-- +goose Up
-- What currency the band of amounts of a price rule is in: the float's when the
-- rule was made; '' of a rule made before this was kept.
ALTER TABLE price_rules ADD COLUMN band_currency TEXT NOT NULL DEFAULT '';
