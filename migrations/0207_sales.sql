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
    given_micros            BIGINT NOT NULL DEFAULT 0, -- by the customer, in price_currency; 0: exactly the price

    -- the two columns of state
    fulfilment TEXT NOT NULL CHECK (fulfilment IN ('recorded','sending','unknown','submitted','processing','cancelling',
        'complete','failed','cancelled','voided')),
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
    send_mode   TEXT    NOT NULL DEFAULT 'wait', -- wait or defer: how the current attempt is sent
    retry_at    TIMESTAMP, -- the upstream asked to be left alone until then
    stopped     BOOLEAN NOT NULL DEFAULT FALSE, -- an earlier attempt was executed: nothing of it is sent any more

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
    -- A PIN's serial as a hash under the vault's key: it is found by who knows it, and
    -- told to nobody. '-' where the sealed receipt has none, '' where nobody has looked yet.
    serial_hash          TEXT   NOT NULL DEFAULT '',

    -- when to look again, and what the looks found
    next_check_at    TIMESTAMP,
    looks            INTEGER NOT NULL,
    claim_at         TIMESTAMP, -- a reply claimed failure then; one look-up must agree
    empty_looks      INTEGER NOT NULL,
    first_empty_at   TIMESTAMP,
    last_empty_at    TIMESTAMP,
    reversal_seen_at TIMESTAMP,
    open_seen_at     TIMESTAMP, -- when the upstream's list last showed a batch transfer under way
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
CREATE INDEX sales_by_cashier ON sales (cashier_id, recorded_at);
CREATE INDEX sales_owed ON sales (id) WHERE receivable_micros > 0;

-- The sales that a report carries over, without reading all sales of a till.
CREATE INDEX sales_unsettled ON sales (till_id) WHERE cash IN ('taken', 'refund_due');

-- What ended lately at a till, for its tray.
CREATE INDEX sales_by_end ON sales (till_id, final_at);

-- The sales whose outcome is open, which every page counts. A sale is final
-- exactly when final_at is set; the guarded updates of a sale name its state and
-- not this column, so the index cannot draw them away from the primary key.
CREATE INDEX sales_not_final ON sales (shop_id, id) WHERE final_at IS NULL;
CREATE INDEX sales_by_serial ON sales (serial_hash) WHERE serial_hash <> '' AND serial_hash <> '-';

-- The sales whose outcome is open in all shops, newest first: without it their
-- list reads every sale there is.
CREATE INDEX sales_not_final_newest ON sales (id) WHERE final_at IS NULL;

-- What a shift has sold, without the sales themselves.
CREATE INDEX sales_by_shift ON sales (shift_id, price_micros, practice);

-- Every ref ever made. The current one stands in sales too.
CREATE TABLE attempts (
    ref           TEXT      PRIMARY KEY CHECK (LENGTH(ref) = 32),
    sale_id       TEXT      NOT NULL REFERENCES sales (id),
    number        INTEGER   NOT NULL,
    created_at    TIMESTAMP NOT NULL,
    late          BOOLEAN   NOT NULL, -- executed after all, though a later attempt had begun
    permit_at     TIMESTAMP,
    next_check_at TIMESTAMP, -- a replaced attempt is still looked for: it may have been executed
    UNIQUE (sale_id, number)
);
CREATE INDEX attempts_due ON attempts (next_check_at) WHERE next_check_at IS NOT NULL;

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

-- What people set right, by time: few of all events, so the list of them does not
-- grow with what was sold.
CREATE INDEX sale_events_set_right ON sale_events (at)
    WHERE cause IN ('refunded', 'called_off', 'cancel_asked', 'tried_again', 'decided');

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

-- Webhooks whose signature held. A repeated delivery has the same digest. What
-- was refused is counted and logged, never stored: anyone can send it.
CREATE TABLE webhooks (
    id          TEXT PRIMARY KEY,
    digest      TEXT      NOT NULL UNIQUE, -- SHA-256 of the signed body
    received_at TIMESTAMP NOT NULL,
    signed_at   TIMESTAMP NOT NULL,
    encrypted   BOOLEAN   NOT NULL,
    ref         TEXT      NOT NULL, -- DistributorRef inside the signed body
    sale_id     TEXT      NOT NULL, -- "" if it is none of ours
    verdict     TEXT      NOT NULL, -- applied, foreign
    sealed_body TEXT      NOT NULL
);
CREATE INDEX webhooks_by_sale ON webhooks (sale_id);

-- How many webhooks were refused in a minute, and why: whether somebody forges them
-- shows only over all processes.
CREATE TABLE webhook_refusals (
    minute TIMESTAMP NOT NULL,
    reason TEXT      NOT NULL,
    count  INTEGER   NOT NULL CHECK (count > 0),
    PRIMARY KEY (minute, reason)
);

-- How many webhooks were refused in a day (UTC), and why, and when the last was. Anyone
-- can send those, so a row is a day and a reason, however many come.
CREATE TABLE webhook_refusal_days (
    day     TIMESTAMP NOT NULL,
    reason  TEXT      NOT NULL,
    count   BIGINT    NOT NULL CHECK (count > 0),
    last_at TIMESTAMP NOT NULL,
    PRIMARY KEY (day, reason)
);
