-- +goose Up
-- Keys of which somebody's telephone or stick has the private half. One is a second factor,
-- and a whole sign-in by itself: the device asks for its owner before it signs.
CREATE TABLE passkeys (
    id         TEXT      PRIMARY KEY, -- of the credential, as base64url
    user_id    TEXT      NOT NULL REFERENCES users (id),
    name       TEXT      NOT NULL,
    credential TEXT      NOT NULL, -- its public key, its count of signatures and what else WebAuthn asks for, as JSON
    added_at   TIMESTAMP NOT NULL,
    used_at    TIMESTAMP,
    copied_at  TIMESTAMP           -- when its count went back, as that of a copy does; it counts for nothing since
);
CREATE INDEX passkeys_of_user ON passkeys (user_id);

-- What a browser was sent away with, to be answered: by a passkey, or by who vouches for people. Each is taken once.
CREATE TABLE challenges (
    token_hash TEXT      PRIMARY KEY,
    asked      TEXT      NOT NULL, -- what the answer is held against, as JSON
    began_at   TIMESTAMP NOT NULL
);

-- A password of fewer characters than one has that stands alone.
ALTER TABLE users ADD COLUMN password_short BOOLEAN NOT NULL DEFAULT FALSE;
