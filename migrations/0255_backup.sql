-- +goose Up
-- Backups that were restored into this database. Until one is settled (nothing
-- that it holds as recorded is ever sent, SALE.md K16) no process of the till starts.
CREATE TABLE restored_backups (
    made_at     TIMESTAMP NOT NULL,
    restored_at TIMESTAMP NOT NULL,
    settled_at  TIMESTAMP
);
