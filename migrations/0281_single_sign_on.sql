-- +goose Up
-- Who signs in through the identity provider: its address, and what it calls them for good.
-- They have no password here.
ALTER TABLE users ADD COLUMN vouched_by TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN subject TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX users_vouched ON users (vouched_by, subject) WHERE subject <> '';
