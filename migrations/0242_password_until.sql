-- +goose Up
-- Until when a password counts that somebody else chose; NULL for one's own.
ALTER TABLE users ADD COLUMN password_until TIMESTAMP;
