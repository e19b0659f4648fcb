-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER sales_sold_name AFTER INSERT ON sales
BEGIN
    INSERT OR IGNORE INTO sold_names (sku_code, product_text, provider_name)
    VALUES (NEW.sku_code, SUBSTR(NEW.product_text, 1, 200), SUBSTR(NEW.provider_name, 1, 200));
END;
-- +goose StatementEnd
