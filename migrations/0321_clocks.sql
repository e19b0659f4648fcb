-- +goose Up
-- By how much a process's clock is ahead of the upstream's, negative if behind.
ALTER TABLE processes ADD COLUMN clock_ahead_ms BIGINT NOT NULL DEFAULT 0;
