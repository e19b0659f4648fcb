-- +goose Up
-- A shop's own mark of the float warns it and stops nothing, as that of every shop does.
-- What it must leave to the others is a limit of its own. Until now a shop's mark was
-- that, and what was set so goes on stopping.
CREATE TABLE sale_limits_0070 (
    shop_id  TEXT   NOT NULL,
    subject  TEXT   NOT NULL CHECK (subject IN ('sale', 'number', 'cashier', 'refund', 'float', 'kept')),
    period   TEXT   NOT NULL CHECK (period IN ('each', 'hour', 'day')),
    measure  TEXT   NOT NULL CHECK (measure IN ('count', 'amount')),
    currency TEXT   NOT NULL, -- of an amount; '' for a count
    most     BIGINT NOT NULL CHECK (most >= 0), -- a count, or millionths of the currency
    PRIMARY KEY (shop_id, subject, period, measure, currency),
    CHECK ((measure = 'count') = (currency = ''))
);
INSERT INTO sale_limits_0070 (shop_id, subject, period, measure, currency, most)
SELECT shop_id, CASE WHEN subject = 'float' AND period = 'each' AND shop_id <> '' THEN 'kept' ELSE subject END, period, measure, currency, most FROM sale_limits;
DROP TABLE sale_limits;
ALTER TABLE sale_limits_0070 RENAME TO sale_limits;
