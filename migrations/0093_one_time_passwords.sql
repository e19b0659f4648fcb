-- +goose Up
-- A password that somebody else chose opens one session and must be changed in it:
-- 'fresh', then 'spent'; '' for one's own, and for what a command set.
ALTER TABLE users ADD COLUMN password_once TEXT NOT NULL DEFAULT '' CHECK (password_once IN ('', 'fresh', 'spent'));
