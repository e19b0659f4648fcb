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
    UNIQUE (till_id, number)
);
CREATE UNIQUE INDEX shifts_one_open_per_till ON shifts (till_id) WHERE closed_at IS NULL;
CREATE INDEX shifts_by_shop ON shifts (shop_id, opened_at);
