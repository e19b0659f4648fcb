-- +goose Up
-- Acts of authority, one row each, chained: every row carries the hash of the
-- row before it, so that a row cannot be changed, removed or slipped in without
-- breaking the chain. Ordinary sales have their own events and are not here.
CREATE TABLE audit_entries (
    seq         BIGINT    PRIMARY KEY, -- 1, 2, 3 … without gaps
    at          TIMESTAMP NOT NULL,
    user_id     TEXT      NOT NULL, -- '' when a command acted, not a person
    actor       TEXT      NOT NULL, -- username or command, as it was then
    role        TEXT      NOT NULL,
    shop_id     TEXT      NOT NULL,
    till_id     TEXT      NOT NULL,
    action      TEXT      NOT NULL,
    subject     TEXT      NOT NULL,
    reason      TEXT      NOT NULL,
    before_json TEXT      NOT NULL,
    after_json  TEXT      NOT NULL,
    previous    TEXT      NOT NULL, -- hash of row seq-1
    hash        TEXT      NOT NULL,
    -- The chain's hashes anyone can make; the signature (<key id>:<HMAC of the hash>)
    -- only who has a key that is not in the database.
    mac         TEXT      NOT NULL DEFAULT ''
);
CREATE INDEX audit_entries_by_subject ON audit_entries (subject, seq);

-- The end of the chain: writers take turns on this row.
CREATE TABLE audit_head (
    only_row BOOLEAN PRIMARY KEY CHECK (only_row),
    seq      BIGINT NOT NULL,
    hash     TEXT   NOT NULL
);
INSERT INTO audit_head (only_row, seq, hash) VALUES (TRUE, 0, '');
