-- +goose Up
CREATE TABLE shops (
    id         TEXT      PRIMARY KEY,
    name       TEXT      NOT NULL UNIQUE,
    zone       TEXT      NOT NULL, -- IANA: decides the shop's business day
    country    TEXT      NOT NULL, -- ISO 3166-1 alpha-2
    currency   TEXT      NOT NULL, -- ISO 4217, of the cash in its tills
    address    TEXT      NOT NULL,
    tax_id     TEXT      NOT NULL,
    created_at TIMESTAMP NOT NULL
);

CREATE TABLE tills (
    id      TEXT    PRIMARY KEY,
    shop_id TEXT    NOT NULL REFERENCES shops (id),
    number  INTEGER NOT NULL CHECK (number > 0), -- 1, 2, 3 … within the shop
    name    TEXT    NOT NULL,
    UNIQUE (shop_id, number)
);

CREATE TABLE users (
    id            TEXT      PRIMARY KEY,
    username      TEXT      NOT NULL UNIQUE, -- normalised
    display_name  TEXT      NOT NULL,
    role          TEXT      NOT NULL
        CHECK (role IN ('cashier', 'supervisor', 'manager', 'finance', 'auditor', 'admin')),
    shop_id       TEXT      REFERENCES shops (id),
    locale        TEXT      NOT NULL, -- BCP 47
    password_hash TEXT      NOT NULL, -- argon2id, with its parameters
    epoch         INTEGER   NOT NULL, -- moves on when every session of the user must end
    -- One that somebody else chose opens one session and must be changed in it.
    password_once TEXT      NOT NULL DEFAULT '' CHECK (password_once IN ('', 'fresh', 'spent')),
    -- Who made the account, or last chose its role or password, when that was another
    -- person; '' for a command.
    set_by        TEXT      NOT NULL DEFAULT '',
    set_at        TIMESTAMP,
    disabled_at   TIMESTAMP,
    created_at    TIMESTAMP NOT NULL,
    CHECK ((role IN ('cashier', 'supervisor', 'manager')) = (shop_id IS NOT NULL))
);

-- A session counts only while its epoch is its user's.
CREATE TABLE sessions (
    token_hash TEXT      PRIMARY KEY,
    user_id    TEXT      NOT NULL REFERENCES users (id),
    epoch      INTEGER   NOT NULL,
    till_id    TEXT      REFERENCES tills (id),
    data       TEXT      NOT NULL, -- JSON
    created_at TIMESTAMP NOT NULL, -- the login
    seen_at    TIMESTAMP NOT NULL  -- the last request, to the minute
);
CREATE INDEX sessions_by_seen ON sessions (seen_at);

-- A browser in which somebody has signed in, and the till it stands at.
CREATE TABLE devices (
    token_hash TEXT      PRIMARY KEY,
    till_id    TEXT      REFERENCES tills (id),
    seen_at    TIMESTAMP NOT NULL, -- the last login
    trusted_at TIMESTAMP,          -- NULL: not trusted
    trusted_by TEXT      REFERENCES users (id)
);

-- Who gave their password on a device, when, and what their epoch was then.
CREATE TABLE device_users (
    token_hash   TEXT      NOT NULL REFERENCES devices (token_hash) ON DELETE CASCADE,
    user_id      TEXT      NOT NULL REFERENCES users (id),
    signed_in_at TIMESTAMP,
    epoch        INTEGER   NOT NULL DEFAULT 0,
    PRIMARY KEY (token_hash, user_id)
);

-- Logins that were not followed by success, per account, address and device;
-- the key is a hash, since people type passwords into the username field.
CREATE TABLE login_tries (
    key      TEXT      PRIMARY KEY,
    failures INTEGER   NOT NULL,
    last_at  TIMESTAMP NOT NULL
);
CREATE INDEX login_tries_by_last ON login_tries (last_at);

-- A till PIN stands in for the password for the rest of a working day, on a
-- device that a manager trusts.
CREATE TABLE till_pins (
    user_id  TEXT      PRIMARY KEY REFERENCES users (id),
    pin_hash TEXT      NOT NULL, -- argon2id, with its parameters
    set_at   TIMESTAMP NOT NULL
);

-- Changes of accounts that wait for a second person: a new password, role or way in
-- for somebody with rights that take two people. One at a time for an account.
CREATE TABLE account_changes (
    user_id     TEXT      PRIMARY KEY REFERENCES users (id),
    action      TEXT      NOT NULL, -- as the audit names it once it is made
    reason      TEXT      NOT NULL,
    new_values  TEXT      NOT NULL, -- JSON, by column of users
    proposed_by TEXT      NOT NULL,
    proposed_at TIMESTAMP NOT NULL
);

-- One act that waits for somebody who may approve it.
CREATE TABLE approvals (
    id         TEXT      PRIMARY KEY,
    shop_id    TEXT      NOT NULL REFERENCES shops (id),
    till_id    TEXT      NOT NULL REFERENCES tills (id),
    asked_by   TEXT      NOT NULL REFERENCES users (id),
    act        TEXT      NOT NULL, -- what stopped it
    subject    TEXT      NOT NULL, -- hash of the very request: it approves nothing else
    summary    TEXT      NOT NULL, -- what the approver reads; the number masked
    asked_at   TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL,
    approved   BOOLEAN,            -- NULL while it waits
    decided_by TEXT      REFERENCES users (id),
    decided_at TIMESTAMP,
    used_at    TIMESTAMP
);
CREATE INDEX approvals_by_shop ON approvals (shop_id, expires_at);
