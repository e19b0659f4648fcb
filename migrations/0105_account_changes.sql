-- +goose Up
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
