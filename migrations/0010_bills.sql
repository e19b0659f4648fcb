-- +goose Up
-- What an account was found to owe, kept for the minutes in which somebody
-- chooses a bill. A browser names a bill only by our id of it. The number and
-- the settings are here only as a keyed hash.
CREATE TABLE bill_lookups (
    subject     TEXT PRIMARY KEY, -- of the product, the account number and the settings
    bills       TEXT      NOT NULL, -- JSON
    asked_at    TIMESTAMP NOT NULL,
    valid_until TIMESTAMP NOT NULL
);
CREATE INDEX bill_lookups_asked ON bill_lookups (asked_at);
