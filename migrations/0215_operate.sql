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

-- How far a check of the invariants has come, so that one that was cut goes on
-- where it stood. One row for each who asks; it goes with the run's end.
CREATE TABLE verify_progress (
    asked_by   TEXT PRIMARY KEY,
    owner      TEXT      NOT NULL, -- who works on it; whoever goes on with it writes another
    run        TEXT      NOT NULL, -- id
    started_at TIMESTAMP NOT NULL,
    done       TEXT      NOT NULL -- JSON: of each invariant that goes in batches, how far, and what was found
);

-- Long work under way, kept while it runs: what, how far and since when.
CREATE TABLE running_work (
    id         TEXT PRIMARY KEY,
    kind       TEXT      NOT NULL,
    detail     TEXT      NOT NULL, -- what of it, or for whom
    done       BIGINT    NOT NULL,
    total      BIGINT    NOT NULL, -- 0: not known
    started_at TIMESTAMP NOT NULL,
    seen_at    TIMESTAMP NOT NULL  -- the last sign of it
);

-- What somebody said of a step of the first set-up, where the rest of the books
-- cannot show that it is done.
CREATE TABLE setup_steps (
    step       TEXT PRIMARY KEY,
    said       TEXT      NOT NULL CHECK (said IN ('checked', 'left-out')),
    settled_by TEXT      NOT NULL,
    settled_at TIMESTAMP NOT NULL
);
