-- +goose Up
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
