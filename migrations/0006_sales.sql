-- +goose Up
-- The code that begins every DistributorRef of this database; the newest row
-- counts. A restored backup gets a new one, so that no ref is ever used twice.
CREATE TABLE installations (
    code  TEXT PRIMARY KEY CHECK (LENGTH(code) = 4),
    since TIMESTAMP NOT NULL
);

-- Which processes are alive; a permit of one that is not is an unknown outcome.
CREATE TABLE processes (
    id      TEXT PRIMARY KEY,
    seen_at TIMESTAMP NOT NULL -- by the database's clock
);

CREATE TABLE sales (
    id              TEXT PRIMARY KEY,
    idempotency_key TEXT    NOT NULL UNIQUE,
    params_hash     TEXT    NOT NULL,
    practice        BOOLEAN NOT NULL,
    shop_id         TEXT    NOT NULL,
    till_id         TEXT    NOT NULL,
    shift_id        TEXT    NOT NULL,
    number          INTEGER NOT NULL, -- within the shift, from 1
    code            TEXT    NOT NULL UNIQUE, -- the short public code on receipts
    cashier_id      TEXT    NOT NULL,
    language        TEXT    NOT NULL,

    -- what was sold, as it read on the confirm page
    country_iso      TEXT NOT NULL,
    provider_code    TEXT NOT NULL,
    provider_name    TEXT NOT NULL,
    customer_care    TEXT NOT NULL,
    sku_code         TEXT NOT NULL,
    product_text     TEXT NOT NULL,
    kind             TEXT NOT NULL,
    processing_mode  TEXT NOT NULL,
    redemption       TEXT NOT NULL,
    validity         TEXT NOT NULL,
    account_number   TEXT NOT NULL,
    settings         TEXT NOT NULL, -- JSON list of {Name, Value}
    bill_ref         TEXT NOT NULL,

    -- the quote, in millionths
    send_micros             BIGINT NOT NULL CHECK (send_micros >= 0),
    customer_fee_micros     BIGINT NOT NULL CHECK (customer_fee_micros >= 0),
    distributor_fee_micros  BIGINT NOT NULL CHECK (distributor_fee_micros >= 0),
    send_currency           TEXT   NOT NULL,
    receive_micros          BIGINT NOT NULL,
    receive_ex_tax_micros   BIGINT NOT NULL,
    receive_currency        TEXT   NOT NULL,
    tax_rate                TEXT   NOT NULL,
    tax_name                TEXT   NOT NULL,
    tax_calculation         TEXT   NOT NULL,
    commission_rate         TEXT   NOT NULL,
    price_micros            BIGINT NOT NULL CHECK (price_micros >= 0), -- paid at the counter
    price_currency          TEXT   NOT NULL,

    -- the two columns of state
    fulfilment TEXT NOT NULL CHECK (fulfilment IN ('recorded','sending','unknown','submitted','processing','cancelling','complete','failed','cancelled','voided')),
    cash       TEXT NOT NULL CHECK (cash IN ('none','taken','refund_due','refunded','earned')),

    -- the current attempt
    attempt     INTEGER NOT NULL,
    ref         TEXT    NOT NULL UNIQUE,
    permits     INTEGER NOT NULL,
    attempt_at  TIMESTAMP NOT NULL, -- when this attempt was recorded
    permit_at   TIMESTAMP,
    permit_by   TEXT    NOT NULL,
    hold        TEXT    NOT NULL CHECK (hold IN ('','1110','1120')), -- where its money waits
    hold_micros BIGINT  NOT NULL,
    receivable_micros BIGINT NOT NULL, -- what the upstream owes back for it (1130)

    -- what is known of the outcome
    reason_code          TEXT   NOT NULL,
    reason_context       TEXT   NOT NULL,
    transfer_ref         TEXT   NOT NULL,
    provider_ref         TEXT   NOT NULL,
    actual_send_micros   BIGINT NOT NULL,
    actual_fee_micros    BIGINT NOT NULL,
    actual_dist_micros   BIGINT NOT NULL,
    actual_receive_micros BIGINT NOT NULL,
    actual_ex_tax_micros BIGINT NOT NULL,
    commission_micros    BIGINT NOT NULL,
    sealed_receipt       TEXT   NOT NULL, -- ReceiptText and ReceiptParams, encrypted
    pin_hint             TEXT   NOT NULL, -- last four characters of the PIN

    -- when to look again, and what the looks found
    next_check_at    TIMESTAMP,
    looks            INTEGER NOT NULL,
    claim_at         TIMESTAMP, -- a reply claimed failure then; one look-up must agree
    empty_looks      INTEGER NOT NULL,
    first_empty_at   TIMESTAMP,
    last_empty_at    TIMESTAMP,
    reversal_seen_at TIMESTAMP,
    by_absence       BOOLEAN NOT NULL,

    events      INTEGER   NOT NULL,
    recorded_at TIMESTAMP NOT NULL,
    final_at    TIMESTAMP,
    updated_at  TIMESTAMP NOT NULL,
    UNIQUE (shift_id, number)
);
CREATE INDEX sales_by_shop ON sales (shop_id, id);
CREATE INDEX sales_by_account ON sales (account_number, id);
CREATE INDEX sales_due ON sales (next_check_at) WHERE next_check_at IS NOT NULL;

-- Every ref ever made. The current one stands in sales too.
CREATE TABLE attempts (
    ref        TEXT PRIMARY KEY CHECK (LENGTH(ref) = 32),
    sale_id    TEXT      NOT NULL REFERENCES sales (id),
    number     INTEGER   NOT NULL,
    created_at TIMESTAMP NOT NULL,
    late       BOOLEAN   NOT NULL, -- executed after all, though a later attempt had begun
    UNIQUE (sale_id, number)
);

-- Append-only: what happened to a sale, one row for each move or observation
-- that changed anything.
CREATE TABLE sale_events (
    sale_id TEXT      NOT NULL REFERENCES sales (id),
    seq     INTEGER   NOT NULL,
    at      TIMESTAMP NOT NULL,
    cause   TEXT      NOT NULL,
    source  TEXT      NOT NULL,
    ref     TEXT      NOT NULL,
    was     TEXT      NOT NULL, -- fulfilment/cash
    became  TEXT      NOT NULL,
    actor   TEXT      NOT NULL,
    note    TEXT      NOT NULL,
    PRIMARY KEY (sale_id, seq)
);

-- What must be seen by a person: late success, reversal, foreign record, …
CREATE TABLE incidents (
    id        TEXT PRIMARY KEY,
    kind      TEXT      NOT NULL,
    sale_id   TEXT      NOT NULL,
    note      TEXT      NOT NULL,
    micros    BIGINT    NOT NULL,
    currency  TEXT      NOT NULL,
    at        TIMESTAMP NOT NULL,
    closed_at TIMESTAMP,
    closed_by TEXT      NOT NULL
);
CREATE UNIQUE INDEX incidents_one_open ON incidents (kind, sale_id) WHERE closed_at IS NULL;
