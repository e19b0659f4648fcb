-- +goose Up
-- The closed statement of a shop's day. Nothing in it is computed again: what is
-- booked later appears on a later one.
CREATE TABLE statements (
    id           TEXT PRIMARY KEY,
    shop_id      TEXT      NOT NULL REFERENCES shops (id),
    number       INTEGER   NOT NULL CHECK (number > 0), -- of this shop, from 1, without gaps
    day          TEXT      NOT NULL, -- the shop's business day, like 2026-03-31
    from_at      TIMESTAMP NOT NULL,
    to_at        TIMESTAMP NOT NULL,
    last_posting BIGINT    NOT NULL, -- postings up to here were looked at
    closed_at    TIMESTAMP NOT NULL,
    document     TEXT      NOT NULL, -- JSON
    hash         TEXT      NOT NULL, -- SHA-256 of the document
    UNIQUE (shop_id, number),
    UNIQUE (shop_id, day)
);
CREATE INDEX statements_by_day ON statements (day, shop_id);
