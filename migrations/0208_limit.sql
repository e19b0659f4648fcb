-- +goose Up
-- How much may be sold before a manager must allow more, when the float's mark
-- warns a shop ('float'), and what it must leave to the others ('kept'). The
-- shop's own row counts before the one of every shop (shop_id '').
CREATE TABLE sale_limits (
    shop_id  TEXT   NOT NULL,
    subject  TEXT   NOT NULL CHECK (subject IN ('sale', 'number', 'cashier', 'refund', 'float', 'kept')),
    period   TEXT   NOT NULL CHECK (period IN ('each', 'hour', 'day')),
    measure  TEXT   NOT NULL CHECK (measure IN ('count', 'amount')),
    currency TEXT   NOT NULL, -- of an amount; '' for a count
    most     BIGINT NOT NULL CHECK (most >= 0), -- a count, or millionths of the currency
    PRIMARY KEY (shop_id, subject, period, measure, currency),
    CHECK ((measure = 'count') = (currency = ''))
);
INSERT INTO sale_limits (shop_id, subject, period, measure, currency, most) VALUES
    ('', 'number', 'day', 'count', '', 5),
    ('', 'cashier', 'hour', 'count', '', 300),
    ('', 'sale', 'each', 'amount', 'EUR', 250000000),
    ('', 'sale', 'each', 'amount', 'USD', 250000000),
    ('', 'sale', 'each', 'amount', 'GBP', 250000000),
    ('', 'refund', 'each', 'amount', 'EUR', 50000000),
    ('', 'refund', 'each', 'amount', 'USD', 50000000),
    ('', 'refund', 'each', 'amount', 'GBP', 50000000),
    ('', 'float', 'each', 'amount', 'EUR', 100000000),
    ('', 'float', 'each', 'amount', 'USD', 100000000),
    ('', 'float', 'each', 'amount', 'GBP', 100000000);

-- What the limits stopped, for the weekly report.
CREATE TABLE limit_stops (
    id          TEXT PRIMARY KEY,
    at          TIMESTAMP NOT NULL,
    shop_id     TEXT      NOT NULL,
    till_id     TEXT      NOT NULL,
    cashier_id  TEXT      NOT NULL,
    subject     TEXT      NOT NULL,
    period      TEXT      NOT NULL,
    measure     TEXT      NOT NULL,
    currency    TEXT      NOT NULL,
    most        BIGINT    NOT NULL,
    used        BIGINT    NOT NULL, -- before this sale
    sku_code    TEXT      NOT NULL,
    price_micros   BIGINT NOT NULL,
    price_currency TEXT   NOT NULL,
    sale_id     TEXT      NOT NULL, -- '' if it stayed stopped
    approver    TEXT      NOT NULL, -- who allowed it all the same
    asked       TEXT      NOT NULL DEFAULT '' -- names what was stopped: asked for again, it is not another stop
);
CREATE INDEX limit_stops_by_time ON limit_stops (at);
CREATE INDEX limit_stops_asked ON limit_stops (asked);
