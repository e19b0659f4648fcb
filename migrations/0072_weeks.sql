-- +goose Up
-- Weeks, from Monday, for those that are over: a report over some weeks reads a third
-- of the rows. They are made of days here, and kept up by the refresh from now on.
CREATE TABLE rollups_by_week (
    level          TEXT    NOT NULL CHECK (level IN ('quarter', 'day', 'week', 'month')),
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
INSERT INTO rollups_by_week SELECT * FROM rollups;
DROP TABLE rollups;
ALTER TABLE rollups_by_week RENAME TO rollups;
CREATE INDEX rollups_by_time ON rollups (cube, level, shop_id, starts);

INSERT INTO rollups SELECT 'week', r.cube, r.shop_id, r.starts - (r.starts + 3) % 7,
    r.slot, r.country, r.provider, r.kind, r.sku, r.till_id, r.cashier_id, r.reason, r.price_currency,
    r.send_currency,
    SUM(r.sales), SUM(r.complete), SUM(r.failed), SUM(r.open), SUM(r.price_micros), SUM(r.refunded_micros),
    SUM(r.due_micros), SUM(r.open_micros), SUM(r.mark_up_micros), SUM(r.margin_micros), SUM(r.send_micros),
    SUM(r.fee_micros), SUM(r.dist_micros), SUM(r.commission_micros), SUM(r.expected_micros), SUM(r.outcome_ms),
    SUM(r.within_2s), SUM(r.within_10s), SUM(r.within_100s)
FROM rollups r JOIN (
    SELECT shop_id, days_to FROM rollup_shops
    UNION ALL SELECT 'all', MIN(days_to) FROM rollup_shops
) f ON f.shop_id = r.shop_id
WHERE r.level = 'day' AND r.starts < f.days_to - 1 - (f.days_to + 2) % 7
GROUP BY r.cube, r.shop_id, r.starts - (r.starts + 3) % 7,
    r.slot, r.country, r.provider, r.kind, r.sku, r.till_id, r.cashier_id, r.reason, r.price_currency,
    r.send_currency;

-- A week with a day that is to be summed anew is too.
INSERT INTO rollup_stale (level, shop_id, starts)
SELECT DISTINCT 'week', r.shop_id, r.starts - (r.starts + 3) % 7
FROM rollup_stale r JOIN (
    SELECT shop_id, days_to FROM rollup_shops
    UNION ALL SELECT 'all', MIN(days_to) FROM rollup_shops
) f ON f.shop_id = r.shop_id
WHERE r.level = 'day' AND r.starts < f.days_to - 1 - (f.days_to + 2) % 7;

-- The months that are over follow from the days.
ALTER TABLE rollup_shops DROP COLUMN months_to;
