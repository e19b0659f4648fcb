-- +goose Up
-- SQLite changes no CHECK of a column, so another one takes its place and name.
ALTER TABLE price_rules ADD COLUMN rounds_to TEXT NOT NULL DEFAULT '' CHECK (rounds_to IN (
    '', '0.05', '0.10', '0.50', '1.00', '5', '10', '50', '100', '500', '1000', '5000', '.99'
));
UPDATE price_rules SET rounds_to = rounding;
ALTER TABLE price_rules DROP COLUMN rounding;
ALTER TABLE price_rules RENAME COLUMN rounds_to TO rounding;
