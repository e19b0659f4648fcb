-- +goose Up
-- When the upstream's list last showed a batch transfer under way. A balance told
-- well before that had it deducted and not yet refunded.
ALTER TABLE sales ADD COLUMN open_seen_at TIMESTAMP;
