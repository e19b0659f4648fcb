-- +goose Up
-- They were midnights of the zone of whoever made the rule, which was not kept: thirteen
-- hours on it is the same date in UTC, from Honolulu to Auckland.
UPDATE price_rules SET first_day = strftime('%Y-%m-%d', starts_at, '+13 hours') WHERE starts_at IS NOT NULL;
UPDATE price_rules SET last_day = strftime('%Y-%m-%d', ends_at, '-11 hours') WHERE ends_at IS NOT NULL;
ALTER TABLE price_rules DROP COLUMN starts_at;
ALTER TABLE price_rules DROP COLUMN ends_at;
