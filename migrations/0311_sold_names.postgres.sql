-- +goose Up
-- +goose StatementBegin
-- Deferred to the end of the transaction, so that two sales of a new product never wait for one another while
-- they lock other rows.
CREATE FUNCTION keep_sold_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO sold_names (sku_code, product_text, provider_name)
    VALUES (NEW.sku_code, SUBSTR(NEW.product_text, 1, 200), SUBSTR(NEW.provider_name, 1, 200)) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER sales_sold_name AFTER INSERT ON sales
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keep_sold_name();
-- +goose StatementEnd
