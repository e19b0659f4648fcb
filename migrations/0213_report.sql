-- +goose Up
-- What the reports read instead of the sales. A row sums the sales of one shop
-- that began in one quarter of an hour (kept for the last days), one day, one
-- week (from Monday) or one month of the shop's own calendar, split by what its
-- cube names; the other columns of the key are empty. Times are whole numbers: quarters of an hour
-- since 1970, or days since 1970 (of a month, its first).
CREATE TABLE rollups (
    level          TEXT    NOT NULL CHECK (level IN ('quarter', 'day', 'week', 'month')),
    cube           TEXT    NOT NULL
        CHECK (cube IN ('total', 'hours', 'brands', 'goods', 'staff', 'people', 'reasons', 'failures')),
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
    days_to   BIGINT NOT NULL -- days before this one are folded; weeks and months follow from them
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

-- Reports that somebody wants to find again.
CREATE TABLE report_views (
    id      TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    name    TEXT NOT NULL,
    path    TEXT NOT NULL, -- address and question, below /reports/
    made_at TIMESTAMP NOT NULL,
    UNIQUE (user_id, name)
);

-- Reports that go out by mail, on a schedule.
CREATE TABLE report_mailings (
    id         TEXT PRIMARY KEY,
    user_id    TEXT      NOT NULL REFERENCES users (id), -- with whose rights it is made
    path       TEXT      NOT NULL, -- the report, as its address asks for it; the schedule names the period
    recipients TEXT      NOT NULL, -- addresses, one a line
    format     TEXT      NOT NULL CHECK (format IN ('csv', 'xlsx', 'pdf')),
    every      TEXT      NOT NULL CHECK (every IN ('day', 'week', 'month')),
    hour       INTEGER   NOT NULL CHECK (hour BETWEEN 0 AND 23),
    zone       TEXT      NOT NULL,
    language   TEXT      NOT NULL,
    slot_at    TIMESTAMP NOT NULL, -- when the next one is due
    next_at    TIMESTAMP NOT NULL, -- when it is tried next
    tries      INTEGER   NOT NULL, -- of this one
    sent_at    TIMESTAMP,
    problem    TEXT      NOT NULL, -- why the last try failed
    made_at    TIMESTAMP NOT NULL
);
CREATE INDEX report_mailings_due ON report_mailings (next_at);
