-- +goose Up
-- Failures by reason alone: split by country and provider as well, a shop that sells
-- more has more rows to read. They are made of what there is, stale or not; what is
-- stale is summed anew in every cube.
CREATE TABLE rollups_with_reasons (
    level          TEXT    NOT NULL CHECK (level IN ('quarter', 'day', 'week', 'month')),
    cube           TEXT    NOT NULL CHECK (cube IN ('total', 'hours', 'brands', 'goods', 'staff', 'people', 'reasons', 'failures')),
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
INSERT INTO rollups_with_reasons SELECT * FROM rollups;
DROP TABLE rollups;
ALTER TABLE rollups_with_reasons RENAME TO rollups;
CREATE INDEX rollups_by_time ON rollups (cube, level, shop_id, starts);

INSERT INTO rollups SELECT level, 'reasons', shop_id, starts, slot, '', '', kind, sku, till_id, cashier_id, reason,
    price_currency, send_currency,
    SUM(sales), SUM(complete), SUM(failed), SUM(open), SUM(price_micros), SUM(refunded_micros), SUM(due_micros),
    SUM(open_micros), SUM(mark_up_micros), SUM(margin_micros), SUM(send_micros), SUM(fee_micros), SUM(dist_micros),
    SUM(commission_micros), SUM(expected_micros), SUM(outcome_ms), SUM(within_2s), SUM(within_10s), SUM(within_100s)
FROM rollups WHERE cube = 'failures'
GROUP BY level, shop_id, starts, slot, kind, sku, till_id, cashier_id, reason, price_currency, send_currency;
