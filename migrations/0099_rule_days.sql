-- +goose Up
-- The days of a price rule are those of each shop's own calendar: the moments that
-- were kept held for one zone alone. '' is no first or last day.
ALTER TABLE price_rules ADD COLUMN first_day TEXT NOT NULL DEFAULT '';
ALTER TABLE price_rules ADD COLUMN last_day TEXT NOT NULL DEFAULT '';
