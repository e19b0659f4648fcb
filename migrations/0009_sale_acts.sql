-- +goose Up
ALTER TABLE sales ADD COLUMN send_mode TEXT NOT NULL DEFAULT 'wait'; -- wait or defer: how the current attempt is sent
ALTER TABLE sales ADD COLUMN retry_at TIMESTAMP; -- the upstream asked to be left alone until then
ALTER TABLE sales ADD COLUMN stopped BOOLEAN NOT NULL DEFAULT FALSE; -- an earlier attempt was executed: nothing of it is sent any more
CREATE INDEX sales_by_cashier ON sales (cashier_id, recorded_at);
CREATE INDEX sales_owed ON sales (id) WHERE receivable_micros > 0;

-- An attempt that a later one has replaced is still looked for, since it may
-- have been executed after all.
ALTER TABLE attempts ADD COLUMN permit_at TIMESTAMP;
ALTER TABLE attempts ADD COLUMN next_check_at TIMESTAMP;
CREATE INDEX attempts_due ON attempts (next_check_at) WHERE next_check_at IS NOT NULL;

-- What a cashier asked the upstream to cancel, committed before it is asked.
CREATE TABLE cancellations (
    id          TEXT PRIMARY KEY, -- also the BatchItemRef
    sale_id     TEXT      NOT NULL REFERENCES sales (id),
    ref         TEXT      NOT NULL,
    asked_at    TIMESTAMP NOT NULL,
    asked_by    TEXT      NOT NULL,
    calls       INTEGER   NOT NULL, -- how often the upstream was asked
    called_at   TIMESTAMP,          -- when last
    answered_at TIMESTAMP,
    answer      TEXT      NOT NULL  -- the state or error code that came back
);
CREATE UNIQUE INDEX cancellations_one_open ON cancellations (sale_id) WHERE answered_at IS NULL;

-- How much may be sold before a manager must allow more. The shop's own row
-- counts before the one of every shop (shop_id '').
CREATE TABLE sale_limits (
    shop_id  TEXT   NOT NULL,
    subject  TEXT   NOT NULL CHECK (subject IN ('sale', 'number', 'cashier', 'refund', 'float')),
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
    ('', 'sale', 'each', 'amount', 'EUR', 250000000), ('', 'sale', 'each', 'amount', 'USD', 250000000), ('', 'sale', 'each', 'amount', 'GBP', 250000000),
    ('', 'refund', 'each', 'amount', 'EUR', 50000000), ('', 'refund', 'each', 'amount', 'USD', 50000000), ('', 'refund', 'each', 'amount', 'GBP', 50000000),
    ('', 'float', 'each', 'amount', 'EUR', 100000000), ('', 'float', 'each', 'amount', 'USD', 100000000), ('', 'float', 'each', 'amount', 'GBP', 100000000);

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
    approver    TEXT      NOT NULL  -- who allowed it all the same
);
CREATE INDEX limit_stops_by_time ON limit_stops (at);

-- Where transfers are sent otherwise than SEND_MODE says; a product's row
-- counts before its provider's.
CREATE TABLE send_modes (
    scope TEXT NOT NULL CHECK (scope IN ('provider', 'product')),
    code  TEXT NOT NULL,
    mode  TEXT NOT NULL CHECK (mode IN ('wait', 'defer')),
    PRIMARY KEY (scope, code)
);

-- Providers that check an account number without selling (ValidateOnly).
CREATE TABLE validating_providers (
    provider_code TEXT PRIMARY KEY
);

-- What two people decide about a sale that stayed open for 45 days.
CREATE TABLE verdicts (
    id          TEXT PRIMARY KEY,
    sale_id     TEXT      NOT NULL REFERENCES sales (id),
    verdict     TEXT      NOT NULL CHECK (verdict IN ('complete', 'failed')),
    reason      TEXT      NOT NULL,
    proposed_at TIMESTAMP NOT NULL,
    proposed_by TEXT      NOT NULL,
    decided_at  TIMESTAMP,
    decided_by  TEXT      NOT NULL,
    agreed      BOOLEAN   NOT NULL
);
CREATE UNIQUE INDEX verdicts_one_open ON verdicts (sale_id) WHERE decided_at IS NULL;
