-- +goose Up
-- What GetBalance said, newest last.
CREATE TABLE upstream_balances (
    id       TEXT PRIMARY KEY,
    asked_at TIMESTAMP NOT NULL,
    told_at  TIMESTAMP NOT NULL,
    micros   BIGINT    NOT NULL,
    currency TEXT      NOT NULL,
    open_sales INTEGER NOT NULL -- sales whose outcome was open while it was asked
);
