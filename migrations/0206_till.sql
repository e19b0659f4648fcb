-- +goose Up
-- A shift is one drawer from the counted float to the counted close.
CREATE TABLE shifts (
    id             TEXT PRIMARY KEY,
    shop_id        TEXT      NOT NULL,
    till_id        TEXT      NOT NULL,
    number         INTEGER   NOT NULL, -- of this till, from 1, without gaps
    cashier_id     TEXT      NOT NULL,
    currency       TEXT      NOT NULL,
    opening_micros BIGINT    NOT NULL CHECK (opening_micros >= 0),
    opened_at      TIMESTAMP NOT NULL,
    closed_at      TIMESTAMP,
    closed_by      TEXT,
    counted_micros BIGINT,
    left_micros    BIGINT, -- what stays in the drawer for the next shift
    open_key       TEXT, -- of the form that opened it
    -- The seat names the place at the till that may sell: whoever takes the till over
    -- gets a new one, and every browser that holds the old one stops.
    seat           TEXT      NOT NULL DEFAULT '',
    seat_by        TEXT      NOT NULL DEFAULT '',
    seat_at        TIMESTAMP,
    UNIQUE (till_id, number)
);
CREATE UNIQUE INDEX shifts_one_open_per_till ON shifts (till_id) WHERE closed_at IS NULL;
CREATE INDEX shifts_by_shop ON shifts (shop_id, opened_at);
CREATE UNIQUE INDEX shifts_by_open_key ON shifts (open_key);

-- Cash put into a drawer or taken out of it beside sales and refunds.
CREATE TABLE cash_moves (
    id         TEXT PRIMARY KEY,
    shift_id   TEXT      NOT NULL REFERENCES shifts (id),
    form_key   TEXT      NOT NULL UNIQUE,
    kind       TEXT      NOT NULL CHECK (kind IN ('in', 'safe', 'expense')),
    micros     BIGINT    NOT NULL CHECK (micros > 0),
    currency   TEXT      NOT NULL,
    reason     TEXT      NOT NULL,
    user_id    TEXT      NOT NULL,
    approver   TEXT      NOT NULL, -- '' below the limit
    at         TIMESTAMP NOT NULL
);
CREATE INDEX cash_moves_by_shift ON cash_moves (shift_id, id);

-- Every count of a drawer, with what the books expected at that moment.
CREATE TABLE drawer_counts (
    shift_id        TEXT      NOT NULL REFERENCES shifts (id),
    seq             INTEGER   NOT NULL, -- 1, 2, …
    form_key        TEXT      NOT NULL UNIQUE,
    user_id         TEXT      NOT NULL,
    at              TIMESTAMP NOT NULL,
    piles           TEXT      NOT NULL, -- JSON: pieces of each denomination
    counted_micros  BIGINT    NOT NULL,
    expected_micros BIGINT    NOT NULL,
    PRIMARY KEY (shift_id, seq)
);

-- The report of a closed shift, as it was then and for good. Each carries the
-- hash of the one before it at the same till.
CREATE TABLE z_reports (
    shift_id TEXT PRIMARY KEY REFERENCES shifts (id),
    shop_id  TEXT      NOT NULL,
    till_id  TEXT      NOT NULL,
    number   INTEGER   NOT NULL CHECK (number > 0), -- of this till, from 1, without gaps
    at       TIMESTAMP NOT NULL,
    document TEXT      NOT NULL, -- JSON
    hash     TEXT      NOT NULL, -- SHA-256 of the document
    UNIQUE (till_id, number)
);
