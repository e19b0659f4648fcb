-- +goose Up
-- The order of a shop's favourites: the smallest first; those of before in the
-- order in which they were pinned.
ALTER TABLE favourites ADD COLUMN place INTEGER NOT NULL DEFAULT 0;

-- Products that one shop does not sell, though the others do.
CREATE TABLE shop_hidden_products (
    shop_id   TEXT      NOT NULL REFERENCES shops (id),
    sku       TEXT      NOT NULL,
    reason    TEXT      NOT NULL,
    hidden_by TEXT      NOT NULL,
    hidden_at TIMESTAMP NOT NULL,
    PRIMARY KEY (shop_id, sku)
);
