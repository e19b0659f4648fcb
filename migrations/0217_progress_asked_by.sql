-- +goose Up
-- Whoever asked for long work sees on their own page how far it is.
ALTER TABLE running_work ADD COLUMN asked_by TEXT NOT NULL DEFAULT '';
