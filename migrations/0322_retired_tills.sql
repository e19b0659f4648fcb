-- +goose Up
-- Since when no shift begins at a till; what was sold at it stays.
ALTER TABLE tills ADD COLUMN retired_at TIMESTAMP;
