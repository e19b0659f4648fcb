-- +goose Up
-- Languages without messages of their own that a customer's receipt was asked for in:
-- product texts are fetched in them, too.
CREATE TABLE wanted_languages (
    language TEXT PRIMARY KEY,
    since    TIMESTAMP NOT NULL
);
