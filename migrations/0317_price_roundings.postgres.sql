-- +goose Up
ALTER TABLE price_rules DROP CONSTRAINT price_rules_rounding_check;
ALTER TABLE price_rules ADD CONSTRAINT price_rules_rounding_check CHECK (rounding IN (
    '', '0.05', '0.10', '0.50', '1.00', '5', '10', '50', '100', '500', '1000', '5000', '.99'
));
