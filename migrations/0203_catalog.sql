-- +goose Up
-- What can be sold, as the upstream last said it. A row carries a hash of its
-- content, so that a sync writes only what changed, and is never deleted:
-- withdrawn_at keeps it for the sales that name it.
CREATE TABLE countries (
    iso          TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    dialing      TEXT NOT NULL, -- JSON: prefixes with lengths
    regions      TEXT NOT NULL, -- JSON
    hash         TEXT NOT NULL,
    added_at     TIMESTAMP NOT NULL,
    changed_at   TIMESTAMP NOT NULL,
    withdrawn_at TIMESTAMP
);

CREATE TABLE currencies (
    iso          TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    hash         TEXT NOT NULL,
    added_at     TIMESTAMP NOT NULL,
    changed_at   TIMESTAMP NOT NULL,
    withdrawn_at TIMESTAMP
);

CREATE TABLE regions (
    code         TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    country      TEXT NOT NULL,
    hash         TEXT NOT NULL,
    added_at     TIMESTAMP NOT NULL,
    changed_at   TIMESTAMP NOT NULL,
    withdrawn_at TIMESTAMP
);

CREATE TABLE providers (
    code                 TEXT PRIMARY KEY,
    country              TEXT NOT NULL,
    name                 TEXT NOT NULL,
    short_name           TEXT NOT NULL,
    validation_regex     TEXT NOT NULL,
    customer_care_number TEXT NOT NULL,
    regions              TEXT NOT NULL, -- JSON
    payment_types        TEXT NOT NULL, -- JSON
    logo_url             TEXT NOT NULL,
    hash                 TEXT NOT NULL,
    added_at             TIMESTAMP NOT NULL,
    changed_at           TIMESTAMP NOT NULL,
    withdrawn_at         TIMESTAMP
);

CREATE TABLE provider_statuses (
    provider     TEXT PRIMARY KEY,
    processing   BOOLEAN NOT NULL,
    message      TEXT NOT NULL,
    hash         TEXT NOT NULL,
    added_at     TIMESTAMP NOT NULL,
    changed_at   TIMESTAMP NOT NULL,
    withdrawn_at TIMESTAMP
);

CREATE TABLE products (
    sku                       TEXT PRIMARY KEY,
    provider                  TEXT NOT NULL,
    localization_key          TEXT NOT NULL,
    kind                      TEXT NOT NULL,
    processing_mode           TEXT NOT NULL,
    redemption                TEXT NOT NULL,
    benefits                  TEXT NOT NULL, -- JSON
    settings                  TEXT NOT NULL, -- JSON
    payment_types             TEXT NOT NULL, -- JSON
    region                    TEXT NOT NULL,
    validity                  TEXT NOT NULL, -- ISO 8601 duration
    uat_number                TEXT NOT NULL,
    display_text              TEXT NOT NULL,
    additional_information    TEXT NOT NULL,
    lookup_bills_required     BOOLEAN NOT NULL,
    commission_rate           TEXT NOT NULL, -- a fraction in decimal text
    min_send_micros           BIGINT NOT NULL,
    min_send_currency         TEXT   NOT NULL, -- also of the fees
    min_receive_micros        BIGINT NOT NULL,
    min_receive_net_micros    BIGINT NOT NULL, -- after tax, in the receive currency
    min_receive_currency      TEXT   NOT NULL,
    min_customer_fee_micros   BIGINT NOT NULL,
    min_distributor_fee_micros BIGINT NOT NULL,
    min_tax_rate              TEXT   NOT NULL,
    min_tax_name              TEXT   NOT NULL,
    min_tax_calculation       TEXT   NOT NULL,
    max_send_micros           BIGINT NOT NULL,
    max_send_currency         TEXT   NOT NULL,
    max_receive_micros        BIGINT NOT NULL,
    max_receive_net_micros    BIGINT NOT NULL,
    max_receive_currency      TEXT   NOT NULL,
    max_customer_fee_micros   BIGINT NOT NULL,
    max_distributor_fee_micros BIGINT NOT NULL,
    max_tax_rate              TEXT   NOT NULL,
    max_tax_name              TEXT   NOT NULL,
    max_tax_calculation       TEXT   NOT NULL,
    unsellable                TEXT   NOT NULL, -- why it is kept out of sale, '' if it is sold
    hash                      TEXT NOT NULL,
    added_at                  TIMESTAMP NOT NULL,
    changed_at                TIMESTAMP NOT NULL,
    withdrawn_at              TIMESTAMP
);

CREATE TABLE product_texts (
    localization_key TEXT NOT NULL,
    language         TEXT NOT NULL,
    display_text     TEXT NOT NULL,
    description      TEXT NOT NULL, -- CommonMark
    read_more        TEXT NOT NULL, -- CommonMark
    hash             TEXT NOT NULL,
    added_at         TIMESTAMP NOT NULL,
    changed_at       TIMESTAMP NOT NULL,
    withdrawn_at     TIMESTAMP,
    PRIMARY KEY (language, localization_key)
);

CREATE TABLE promotions (
    id                  TEXT PRIMARY KEY, -- localization key, provider and start: the upstream has no name for it
    localization_key    TEXT NOT NULL,
    provider            TEXT NOT NULL,
    starts_at           TIMESTAMP NOT NULL,
    ends_at             TIMESTAMP NOT NULL, -- year 9999 means no end
    validity            TEXT NOT NULL,
    minimum_send_micros BIGINT NOT NULL,
    currency            TEXT NOT NULL,
    hash                TEXT NOT NULL,
    added_at            TIMESTAMP NOT NULL,
    changed_at          TIMESTAMP NOT NULL,
    withdrawn_at        TIMESTAMP
);

CREATE TABLE promotion_texts (
    localization_key TEXT NOT NULL,
    language         TEXT NOT NULL,
    dates            TEXT NOT NULL,
    headline         TEXT NOT NULL,
    terms            TEXT NOT NULL, -- CommonMark
    bonus_validity   TEXT NOT NULL,
    type             TEXT NOT NULL,
    send_amounts     TEXT NOT NULL, -- JSON: ranges and their bonuses, amounts as decimal text
    hash             TEXT NOT NULL,
    added_at         TIMESTAMP NOT NULL,
    changed_at       TIMESTAMP NOT NULL,
    withdrawn_at     TIMESTAMP,
    PRIMARY KEY (language, localization_key)
);

CREATE TABLE error_texts (
    code         TEXT PRIMARY KEY,
    message      TEXT NOT NULL, -- for the agent, not for customers
    hash         TEXT NOT NULL,
    added_at     TIMESTAMP NOT NULL,
    changed_at   TIMESTAMP NOT NULL,
    withdrawn_at TIMESTAMP
);

-- Moves of price and commission, one row per field.
CREATE TABLE catalog_changes (
    id         TEXT PRIMARY KEY,
    run_id     TEXT NOT NULL,
    sku        TEXT NOT NULL,
    field      TEXT NOT NULL, -- minimum, maximum, commission
    was        TEXT NOT NULL,
    became     TEXT NOT NULL,
    changed_at TIMESTAMP NOT NULL
);
CREATE INDEX catalog_changes_sku ON catalog_changes (sku, changed_at);
CREATE INDEX catalog_changes_at ON catalog_changes (changed_at);

-- What a run of the synchronisation changed is read by the run, in the order in
-- which it was written. Beside moves there are now the fields added and removed.
CREATE INDEX catalog_changes_run ON catalog_changes (run_id, id);

-- One attempt to bring one resource up to date. The open run of a resource is
-- its lock; a process that died loses it when the lease ends.
CREATE TABLE catalog_runs (
    id          TEXT PRIMARY KEY,
    resource    TEXT NOT NULL,
    started_at  TIMESTAMP NOT NULL,
    lease_until TIMESTAMP NOT NULL,
    ended_at    TIMESTAMP,
    outcome     TEXT NOT NULL, -- '' while open; done, held, failed, interrupted
    added       BIGINT NOT NULL,
    changed     BIGINT NOT NULL,
    removed     BIGINT NOT NULL,
    unsellable  BIGINT NOT NULL,
    written     BIGINT NOT NULL, -- rows committed so far
    published   BOOLEAN NOT NULL, -- what it wrote is part of a version
    note        TEXT NOT NULL -- what went wrong, without secrets
);
CREATE UNIQUE INDEX catalog_runs_open ON catalog_runs (resource) WHERE ended_at IS NULL;
CREATE INDEX catalog_runs_latest ON catalog_runs (resource, started_at);

-- What every process should be serving. as_of: the upstream said so then.
CREATE TABLE catalog_versions (
    what       TEXT PRIMARY KEY, -- catalogue, status
    version    BIGINT NOT NULL,
    made_at    TIMESTAMP,
    as_of      TIMESTAMP
);
INSERT INTO catalog_versions (what, version) VALUES ('catalogue', 0), ('status', 0);

-- Whose number it was when it was last sold to or asked about. The number
-- itself is not here, only its keyed hash.
CREATE TABLE number_operators (
    number_hash TEXT NOT NULL,
    provider    TEXT NOT NULL,
    source      TEXT NOT NULL, -- sale, lookup
    seen_at     TIMESTAMP NOT NULL,
    PRIMARY KEY (number_hash, provider)
);
CREATE INDEX number_operators_seen ON number_operators (seen_at);

-- The last answer of GetAccountLookup, so that it is asked once a day.
CREATE TABLE number_lookups (
    number_hash TEXT PRIMARY KEY,
    country     TEXT NOT NULL,
    items       TEXT NOT NULL, -- JSON: providers and regions
    asked_at    TIMESTAMP NOT NULL
);
CREATE INDEX number_lookups_asked ON number_lookups (asked_at);

-- What an account was found to owe, kept for the minutes in which somebody
-- chooses a bill. A browser names a bill only by our id of it. The number and
-- the settings are here only as a keyed hash.
CREATE TABLE bill_lookups (
    subject     TEXT PRIMARY KEY, -- of the product, the account number and the settings
    bills       TEXT      NOT NULL, -- JSON
    asked_at    TIMESTAMP NOT NULL,
    valid_until TIMESTAMP NOT NULL
);
CREATE INDEX bill_lookups_asked ON bill_lookups (asked_at);

-- The products that a shop shows first.
CREATE TABLE favourites (
    shop_id   TEXT      NOT NULL REFERENCES shops (id),
    sku       TEXT      NOT NULL,
    place     INTEGER   NOT NULL DEFAULT 0, -- the smallest first
    pinned_at TIMESTAMP NOT NULL,
    PRIMARY KEY (shop_id, sku)
);

-- Products that nobody shall sell, though the upstream has them.
CREATE TABLE hidden_products (
    sku       TEXT PRIMARY KEY,
    reason    TEXT      NOT NULL,
    hidden_by TEXT      NOT NULL,
    hidden_at TIMESTAMP NOT NULL
);

-- Products that one shop does not sell, though the others do.
CREATE TABLE shop_hidden_products (
    shop_id   TEXT      NOT NULL REFERENCES shops (id),
    sku       TEXT      NOT NULL,
    reason    TEXT      NOT NULL,
    hidden_by TEXT      NOT NULL,
    hidden_at TIMESTAMP NOT NULL,
    PRIMARY KEY (shop_id, sku)
);

-- Providers' logos, drawn anew, and the memory of those that could not be had.
CREATE TABLE logos (
    url        TEXT PRIMARY KEY,
    picture    TEXT      NOT NULL, -- a PNG in base64, '' after a failure
    fetched_at TIMESTAMP NOT NULL
);
