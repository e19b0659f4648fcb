-- +goose Up
-- The part of the country a number is of, where the upstream has said so.
ALTER TABLE number_operators ADD COLUMN region TEXT NOT NULL DEFAULT '';
