-- +goose Up
-- Up to which posting the checkpoints of all accounts reach: a run reads no older ones.
ALTER TABLE ledger_horizon ADD COLUMN folded_id BIGINT NOT NULL DEFAULT 0;
