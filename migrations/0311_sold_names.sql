-- +goose Up
-- What every product ever sold was called, with its operator: sales are searched by a name through its products.
-- It grows with the catalogue and not with what is sold. Triggers write it, at the end of the sale.
CREATE TABLE sold_names (
    sku_code      TEXT NOT NULL,
    product_text  TEXT NOT NULL, -- this and the next at most 200 characters: an index bounds its entries
    provider_name TEXT NOT NULL,
    PRIMARY KEY (sku_code, product_text, provider_name)
);
INSERT INTO sold_names (sku_code, product_text, provider_name)
SELECT DISTINCT sku_code, SUBSTR(product_text, 1, 200), SUBSTR(provider_name, 1, 200) FROM sales;

-- The newest sales of a product, however many there are of others.
CREATE INDEX sales_by_product ON sales (sku_code, id);
