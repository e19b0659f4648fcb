-- +goose Up
-- What the cash report reads of months that lie back, instead of their shifts: a
-- row sums the closed shifts that one person opened at one till in a month of the
-- shop's own calendar. A closed shift never changes, so it is added once.
CREATE TABLE drawer_months (
    shop_id    TEXT   NOT NULL,
    month      BIGINT NOT NULL, -- its first day, in days since 1970
    till_id    TEXT   NOT NULL,
    cashier_id TEXT   NOT NULL,
    currency   TEXT   NOT NULL,

    closed          BIGINT NOT NULL,
    differing       BIGINT NOT NULL, -- counted at something else than expected
    opening_micros  BIGINT NOT NULL,
    paid_in_micros  BIGINT NOT NULL,
    dropped_micros  BIGINT NOT NULL,
    expense_micros  BIGINT NOT NULL,
    expected_micros BIGINT NOT NULL,
    counted_micros  BIGINT NOT NULL,
    PRIMARY KEY (shop_id, month, till_id, cashier_id, currency)
);

-- Closed shifts that no row holds yet: each is noted in the transaction that
-- closes it, and the next refresh of the rollups takes it.
CREATE TABLE drawer_closings (shift_id TEXT PRIMARY KEY);
INSERT INTO drawer_closings (shift_id) SELECT id FROM shifts WHERE closed_at IS NOT NULL;
