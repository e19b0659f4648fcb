-- +goose Up
-- What a customer pays above or below what a transfer sends. Of the rules that
-- fit, the one with the highest priority decides, alone. An empty scope column
-- fits everything.
CREATE TABLE price_rules (
    id           TEXT PRIMARY KEY,
    name         TEXT      NOT NULL,
    priority     INTEGER   NOT NULL,
    shop_id      TEXT      NOT NULL,
    country      TEXT      NOT NULL,
    provider     TEXT      NOT NULL,
    kind         TEXT      NOT NULL,
    sku          TEXT      NOT NULL,
    from_micros  BIGINT    NOT NULL, -- SendValue, from
    to_micros    BIGINT    NOT NULL, -- up to and including; 0 means no end
    band_currency TEXT     NOT NULL DEFAULT '', -- of these two: the float's when the rule was made
    first_day    TEXT      NOT NULL DEFAULT '', -- of each shop's own calendar; '' for none
    last_day     TEXT      NOT NULL DEFAULT '',
    way          TEXT      NOT NULL CHECK (way IN ('percent', 'fixed', 'target')),
    value        TEXT      NOT NULL, -- decimal: per cent, or an amount of the till's currency
    rounding     TEXT      NOT NULL CHECK (rounding IN ('', '0.05', '0.10', '0.50', '1.00', '.99')),
    below_cost   BOOLEAN   NOT NULL, -- may fall below cost: two people said so
    made_by      TEXT      NOT NULL,
    made_at      TIMESTAMP NOT NULL,
    retired_at   TIMESTAMP
);

-- How much of one currency is paid for one unit of another, from a time on.
-- Rates are added and never changed, so that a day's figures stay what they were.
CREATE TABLE exchange_rates (
    id            TEXT PRIMARY KEY,
    from_currency TEXT      NOT NULL,
    to_currency   TEXT      NOT NULL,
    rate          TEXT      NOT NULL, -- decimal
    valid_from    TIMESTAMP NOT NULL,
    entered_by    TEXT      NOT NULL,
    entered_at    TIMESTAMP NOT NULL,
    UNIQUE (from_currency, to_currency, valid_from)
);
