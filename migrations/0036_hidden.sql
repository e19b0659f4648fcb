-- +goose Up
-- Products that nobody shall sell, though the upstream has them.
CREATE TABLE hidden_products (
    sku       TEXT PRIMARY KEY,
    reason    TEXT      NOT NULL,
    hidden_by TEXT      NOT NULL,
    hidden_at TIMESTAMP NOT NULL
);
