-- +goose Up
-- Who made an account, or last chose its role or password, when that was another
-- person; '' for a command.
ALTER TABLE users ADD COLUMN set_by TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN set_at TIMESTAMP;
