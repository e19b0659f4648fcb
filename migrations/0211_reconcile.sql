-- +goose Up
-- One look at the other side: who asked, how far it reached, what it found.
CREATE TABLE reconcile_runs (
    id         TEXT PRIMARY KEY,
    what       TEXT      NOT NULL CHECK (what IN ('records', 'balance', 'drawers')),
    began_at   TIMESTAMP NOT NULL,
    ended_at   TIMESTAMP NOT NULL,
    asked_by   TEXT      NOT NULL, -- user id, '' for the schedule
    from_at    TIMESTAMP,          -- the list reached back to here
    records    INTEGER   NOT NULL,
    matched    INTEGER   NOT NULL,
    open_sales INTEGER   NOT NULL,
    found      INTEGER   NOT NULL, -- differences, known ones too
    fresh      INTEGER   NOT NULL, -- of those, breaks that are new or open again
    error      TEXT      NOT NULL
);
CREATE INDEX reconcile_runs_by_end ON reconcile_runs (what, ended_at);

-- What does not agree, until somebody has dealt with it. Amounts are what the
-- other side has more than our books.
CREATE TABLE breaks (
    id           TEXT PRIMARY KEY,
    kind         TEXT      NOT NULL,
    subject      TEXT      NOT NULL, -- a sale, a TransferRef, a balance, a shift
    shop_id      TEXT      NOT NULL, -- '' for all shops together
    sale_id      TEXT      NOT NULL,
    cashier_id   TEXT      NOT NULL, -- of a drawer
    micros       BIGINT    NOT NULL,
    currency     TEXT      NOT NULL,
    float_micros BIGINT    NOT NULL, -- by which the upstream's balance and account 1100 differ for it
    booked_micros BIGINT   NOT NULL, -- journals booked for it that no sale carries
    evidence     TEXT      NOT NULL, -- JSON: ours, theirs, ledger, drawer
    digest       TEXT      NOT NULL, -- of what decides; another one opens the break again
    ours_at      TIMESTAMP,
    theirs_at    TIMESTAMP,
    found_at     TIMESTAMP NOT NULL,
    seen_at      TIMESTAMP NOT NULL,
    state        TEXT      NOT NULL CHECK (state IN ('open', 'proposed', 'resolved')),
    owner        TEXT      NOT NULL, -- user id
    resolution   TEXT      NOT NULL, -- '' until one is proposed
    account      TEXT      NOT NULL, -- that takes the other side of a journal
    reference    TEXT      NOT NULL, -- of a bank transfer, a ticket
    proposed_by  TEXT      NOT NULL,
    proposed_at  TIMESTAMP,
    resolved_by  TEXT      NOT NULL, -- '' if it faded by itself
    resolved_at  TIMESTAMP,
    reopened     INTEGER   NOT NULL,
    acts         INTEGER   NOT NULL,
    UNIQUE (kind, subject)
);
CREATE INDEX breaks_unresolved ON breaks (found_at) WHERE state <> 'resolved';
CREATE INDEX breaks_by_shop ON breaks (shop_id, found_at);
CREATE INDEX breaks_by_sale ON breaks (sale_id);

-- Append-only: everything that was done to a break.
CREATE TABLE break_acts (
    break_id TEXT      NOT NULL REFERENCES breaks (id),
    seq      INTEGER   NOT NULL,
    at       TIMESTAMP NOT NULL,
    actor    TEXT      NOT NULL, -- user id, '' for the program
    act      TEXT      NOT NULL,
    note     TEXT      NOT NULL,
    PRIMARY KEY (break_id, seq)
);

-- Money that was paid to the upstream.
CREATE TABLE top_ups (
    id          TEXT PRIMARY KEY,
    micros      BIGINT    NOT NULL CHECK (micros > 0),
    currency    TEXT      NOT NULL,
    reference   TEXT      NOT NULL,
    account     TEXT      NOT NULL CHECK (account IN ('1010', '2100')), -- paid, or still owed
    entered_by  TEXT      NOT NULL,
    entered_at  TIMESTAMP NOT NULL,
    approved_by TEXT      NOT NULL,
    approved_at TIMESTAMP,
    refused_at  TIMESTAMP,
    seen_at     TIMESTAMP, -- when the balance showed it, and it was booked
    UNIQUE (reference, currency)
);

-- Other software that sells on the same account, by the beginning of its refs.
CREATE TABLE foreign_sellers (
    prefix      TEXT PRIMARY KEY CHECK (LENGTH(prefix) > 0),
    name        TEXT      NOT NULL,
    entered_by  TEXT      NOT NULL,
    entered_at  TIMESTAMP NOT NULL,
    approved_by TEXT      NOT NULL,
    approved_at TIMESTAMP,
    ended_at    TIMESTAMP
);

-- Their sales: left out of ours, and listed.
CREATE TABLE foreign_sales (
    transfer_ref TEXT PRIMARY KEY,
    ref          TEXT      NOT NULL,
    seller       TEXT      NOT NULL, -- the prefix, '' where a break was resolved so
    sku_code     TEXT      NOT NULL,
    micros       BIGINT    NOT NULL, -- what it did to the balance
    currency     TEXT      NOT NULL,
    began_at     TIMESTAMP,
    booked_at    TIMESTAMP NOT NULL
);

-- What GetBalance said, newest last.
CREATE TABLE upstream_balances (
    id       TEXT PRIMARY KEY,
    asked_at TIMESTAMP NOT NULL,
    told_at  TIMESTAMP NOT NULL,
    micros   BIGINT    NOT NULL,
    currency TEXT      NOT NULL,
    open_sales INTEGER NOT NULL, -- sales whose outcome was open while it was asked
    -- A balance is judged when the sales that were open around it are known.
    books_micros BIGINT, -- account 1100 without the open sales
    open_set     TEXT      NOT NULL DEFAULT '', -- their ids
    judged_at    TIMESTAMP,
    verdict      TEXT      NOT NULL DEFAULT '',
    difference_micros BIGINT NOT NULL DEFAULT 0 -- that nothing known explains
);
CREATE INDEX upstream_balances_unjudged ON upstream_balances (id) WHERE judged_at IS NULL AND books_micros IS NOT NULL;
