-- +goose Up
-- A customer's number that somebody asked to erase, until a second person has typed it
-- too. It stands here as a keyed hash; the row goes with the decision.
CREATE TABLE erasures (
    id          TEXT PRIMARY KEY,
    number_hash TEXT      NOT NULL UNIQUE,
    reason      TEXT      NOT NULL,
    proposed_by TEXT      NOT NULL,
    proposed_at TIMESTAMP NOT NULL
);
