-- +goose Up
-- The newest sales of a product in a shop, however many there are of others, or elsewhere.
CREATE INDEX sales_by_shop_and_product ON sales (shop_id, sku_code, id);
