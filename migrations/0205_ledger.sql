-- +goose Up
-- Double entry (the table postings is in the files beside this one, for its
-- identity column). A balance is a checkpoint plus what came since, so that no
-- sale ever waits for a shared balance row.
CREATE TABLE ledger_checkpoints (
    account  TEXT   NOT NULL,
    currency TEXT   NOT NULL,
    micros   BIGINT NOT NULL, -- sum of the postings up to and including last_id
    last_id  BIGINT NOT NULL,
    PRIMARY KEY (account, currency)
);

-- The highest posting id seen by the last checkpoint run. The next run covers
-- ids up to here: by then every transaction that held a lower id has ended.
CREATE TABLE ledger_horizon (
    only_row BOOLEAN PRIMARY KEY CHECK (only_row),
    last_id  BIGINT    NOT NULL,
    seen_at  TIMESTAMP NOT NULL
);
