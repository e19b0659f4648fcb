-- +goose Up
ALTER TABLE users ADD COLUMN second_at TIMESTAMP; -- when their second factor came to be; NULL: none
ALTER TABLE sessions ADD COLUMN second_at TIMESTAMP; -- when it was last given in this session

-- An app on somebody's telephone that shows a code for each half a minute.
CREATE TABLE authenticators (
    user_id      TEXT      PRIMARY KEY REFERENCES users (id),
    secret       TEXT      NOT NULL, -- sealed with the vault's key
    confirmed_at TIMESTAMP,          -- NULL: being set up, and counts for nothing
    last_step    BIGINT    NOT NULL  -- no code of this half a minute or of an earlier one counts
);

-- For whoever lost it; each counts once.
CREATE TABLE recovery_codes (
    user_id   TEXT      NOT NULL REFERENCES users (id),
    code_hash TEXT      NOT NULL,
    used_at   TIMESTAMP,
    PRIMARY KEY (user_id, code_hash)
);

-- Who has given their password and not yet their second factor.
CREATE TABLE sign_ins (
    token_hash TEXT      PRIMARY KEY,
    user_id    TEXT      NOT NULL REFERENCES users (id),
    epoch      INTEGER   NOT NULL, -- the user's, when they gave it
    began_at   TIMESTAMP NOT NULL
);

-- What a role takes beside a password. Read with the session, so it acts on the next request.
CREATE TABLE role_rules (
    role          TEXT    PRIMARY KEY
        CHECK (role IN ('cashier', 'supervisor', 'manager', 'finance', 'auditor', 'admin')),
    second_factor BOOLEAN NOT NULL,
    networks      TEXT    NOT NULL -- from which it may be used, as CIDR with spaces between; '' for all
);
INSERT INTO role_rules (role, second_factor, networks) VALUES
    ('cashier', FALSE, ''), ('supervisor', FALSE, ''), ('manager', FALSE, ''),
    ('finance', TRUE, ''), ('auditor', FALSE, ''), ('admin', TRUE, '');
