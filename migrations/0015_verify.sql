-- +goose Up
-- What a check of the invariants found, newest last.
CREATE TABLE verify_runs (
    id         TEXT PRIMARY KEY,
    asked_by   TEXT      NOT NULL, -- nightly, or the command
    started_at TIMESTAMP NOT NULL,
    ended_at   TIMESTAMP NOT NULL,
    holds      BOOLEAN   NOT NULL,
    findings   TEXT      NOT NULL -- JSON: of each invariant, what was checked and who offends
);
