-- +goose Up
-- Whom the identity provider signed in and who was refused, since their username is another account's:
-- until an admin links them with it or dismisses them. One row for a person.
CREATE TABLE refused_arrivals (
    id         TEXT      PRIMARY KEY,
    vouched_by TEXT      NOT NULL, -- this and the next as in users
    subject    TEXT      NOT NULL,
    user_id    TEXT      NOT NULL REFERENCES users (id), -- whose username it is
    name       TEXT      NOT NULL, -- what the provider calls them: it may be anything
    email      TEXT      NOT NULL, -- "" if it does not say
    role       TEXT      NOT NULL  -- of their groups
        CHECK (role IN ('cashier', 'supervisor', 'manager', 'finance', 'auditor', 'admin')),
    shop_id    TEXT      REFERENCES shops (id), -- NULL: nobody says in which they work
    attempts   BIGINT    NOT NULL,
    last_at    TIMESTAMP NOT NULL,
    UNIQUE (vouched_by, subject)
);

-- Whether it was the identity provider, and no password, that began it.
ALTER TABLE sign_ins ADD COLUMN by_provider BOOLEAN NOT NULL DEFAULT FALSE;
