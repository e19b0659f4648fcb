-- +goose Up
-- What the reports read instead of the sales. A row sums the sales of one shop
-- that began in one quarter of an hour (kept for the last days), one day or one
-- month of the shop's own calendar, split by what its cube names; the other
-- columns of the key are empty. Times are whole numbers: quarters of an hour
-- since 1970, or days since 1970 (of a month, its first).
CREATE TABLE rollups (
    level          TEXT    NOT NULL CHECK (level IN ('quarter', 'day', 'month')),
    cube           TEXT    NOT NULL CHECK (cube IN ('total', 'hours', 'goods', 'people', 'failures')),
    shop_id        TEXT    NOT NULL,
    starts         BIGINT  NOT NULL,
    slot           INTEGER NOT NULL, -- weekday × 24 + hour in the shop's zone, Sunday first
    country        TEXT    NOT NULL,
    provider       TEXT    NOT NULL,
    kind           TEXT    NOT NULL,
    sku            TEXT    NOT NULL,
    till_id        TEXT    NOT NULL,
    cashier_id     TEXT    NOT NULL,
    reason         TEXT    NOT NULL, -- code/context of a failure
    price_currency TEXT    NOT NULL,
    send_currency  TEXT    NOT NULL,

    sales             BIGINT NOT NULL,
    complete          BIGINT NOT NULL,
    failed            BIGINT NOT NULL, -- failed, cancelled or voided
    open              BIGINT NOT NULL,
    price_micros      BIGINT NOT NULL, -- paid for complete sales, in price_currency; so are the next five
    refunded_micros   BIGINT NOT NULL, -- handed back
    due_micros        BIGINT NOT NULL, -- still to be handed back
    open_micros       BIGINT NOT NULL,
    mark_up_micros    BIGINT NOT NULL,
    margin_micros     BIGINT NOT NULL,
    send_micros       BIGINT NOT NULL, -- of complete sales, in send_currency; so are the rest of the amounts
    fee_micros        BIGINT NOT NULL, -- CustomerFee
    dist_micros       BIGINT NOT NULL, -- DistributorFee
    commission_micros BIGINT NOT NULL,
    expected_micros   BIGINT NOT NULL, -- commission by the rate of the catalogue when it was sold
    outcome_ms        BIGINT NOT NULL, -- from recorded to final, summed
    within_2s         BIGINT NOT NULL,
    within_10s        BIGINT NOT NULL,
    within_100s       BIGINT NOT NULL
);
CREATE INDEX rollups_by_time ON rollups (cube, level, shop_id, starts);

-- Where each shop's days and months end that have been folded. What began later
-- is read from the finer rows.
CREATE TABLE rollup_shops (
    shop_id   TEXT   PRIMARY KEY,
    days_to   BIGINT NOT NULL, -- days before this one are folded
    months_to BIGINT NOT NULL  -- months before this one are folded
);

-- Rollups to be summed anew.
CREATE TABLE rollup_stale (
    level   TEXT   NOT NULL,
    shop_id TEXT   NOT NULL,
    starts  BIGINT NOT NULL,
    PRIMARY KEY (level, shop_id, starts)
);

-- What providers and products were called when they were last sold: reports name
-- them long after the catalogue has forgotten them.
CREATE TABLE rollup_names (
    what TEXT NOT NULL CHECK (what IN ('provider', 'product')),
    code TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (what, code)
);
