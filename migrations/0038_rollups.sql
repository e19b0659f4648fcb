-- +goose Up
-- Two more cubes, brands and staff, and days that have rows from their beginning:
-- most questions read a tenth of the rows. Rollups are made of sales alone, so
-- the old ones go, and every sale marks what it is part of.
DROP TABLE rollups;
DELETE FROM rollup_stale;
DELETE FROM rollup_shops;
CREATE TABLE rollups (
    level          TEXT    NOT NULL CHECK (level IN ('quarter', 'day', 'month')),
    cube           TEXT    NOT NULL CHECK (cube IN ('total', 'hours', 'brands', 'goods', 'staff', 'people', 'failures')),
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
INSERT INTO rollup_moves (sale_id) SELECT id FROM sales;

-- The sales whose outcome is open in all shops, newest first: without it their
-- list reads every sale there is.
CREATE INDEX sales_not_final_newest ON sales (id) WHERE final_at IS NULL;
