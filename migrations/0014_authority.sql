-- +goose Up
-- A till PIN stands in for the password for the rest of a working day, on a
-- device that a manager trusts.
CREATE TABLE till_pins (
    user_id  TEXT      PRIMARY KEY REFERENCES users (id),
    pin_hash TEXT      NOT NULL, -- argon2id, with its parameters
    set_at   TIMESTAMP NOT NULL
);

ALTER TABLE devices ADD COLUMN trusted_at TIMESTAMP; -- NULL: not trusted
ALTER TABLE devices ADD COLUMN trusted_by TEXT REFERENCES users (id);

-- Who gave their password on a device, when, and what their epoch was then.
ALTER TABLE device_users ADD COLUMN signed_in_at TIMESTAMP;
ALTER TABLE device_users ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;

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

-- What ended lately at a till, for its tray.
CREATE INDEX sales_by_end ON sales (till_id, final_at);
