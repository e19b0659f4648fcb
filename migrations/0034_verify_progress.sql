-- +goose Up
-- How far a check of the invariants has come, so that one that was cut goes on
-- where it stood. One row for each who asks; it goes with the run's end.
CREATE TABLE verify_progress (
    asked_by   TEXT PRIMARY KEY,
    owner      TEXT      NOT NULL, -- who works on it; whoever goes on with it writes another
    run        TEXT      NOT NULL, -- id
    started_at TIMESTAMP NOT NULL,
    done       TEXT      NOT NULL -- JSON: of each invariant that goes in batches, how far, and what was found
);
