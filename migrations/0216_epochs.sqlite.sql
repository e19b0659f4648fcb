-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER exchange_rates_epoch_insert AFTER INSERT ON exchange_rates
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER exchange_rates_epoch_update AFTER UPDATE ON exchange_rates
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER exchange_rates_epoch_delete AFTER DELETE ON exchange_rates
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER favourites_epoch_insert AFTER INSERT ON favourites
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER favourites_epoch_update AFTER UPDATE ON favourites
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER favourites_epoch_delete AFTER DELETE ON favourites
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER price_rules_epoch_insert AFTER INSERT ON price_rules
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER price_rules_epoch_update AFTER UPDATE ON price_rules
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER price_rules_epoch_delete AFTER DELETE ON price_rules
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER printers_epoch_insert AFTER INSERT ON printers
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER printers_epoch_update AFTER UPDATE ON printers
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER printers_epoch_delete AFTER DELETE ON printers
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER sale_limits_epoch_insert AFTER INSERT ON sale_limits
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER sale_limits_epoch_update AFTER UPDATE ON sale_limits
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER sale_limits_epoch_delete AFTER DELETE ON sale_limits
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER send_modes_epoch_insert AFTER INSERT ON send_modes
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER send_modes_epoch_update AFTER UPDATE ON send_modes
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER send_modes_epoch_delete AFTER DELETE ON send_modes
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER shop_hidden_products_epoch_insert AFTER INSERT ON shop_hidden_products
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER shop_hidden_products_epoch_update AFTER UPDATE ON shop_hidden_products
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER shop_hidden_products_epoch_delete AFTER DELETE ON shop_hidden_products
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER shops_epoch_insert AFTER INSERT ON shops
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER shops_epoch_update AFTER UPDATE ON shops
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER shops_epoch_delete AFTER DELETE ON shops
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER tills_epoch_insert AFTER INSERT ON tills
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER tills_epoch_update AFTER UPDATE ON tills
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER tills_epoch_delete AFTER DELETE ON tills
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER users_epoch_insert AFTER INSERT ON users
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER users_epoch_update AFTER UPDATE ON users
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER users_epoch_delete AFTER DELETE ON users
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER validating_providers_epoch_insert AFTER INSERT ON validating_providers
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER validating_providers_epoch_update AFTER UPDATE ON validating_providers
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER validating_providers_epoch_delete AFTER DELETE ON validating_providers
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER shifts_epoch_insert AFTER INSERT ON shifts
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'shifts'; END;
CREATE TRIGGER shifts_epoch_update AFTER UPDATE ON shifts
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'shifts'; END;
CREATE TRIGGER shifts_epoch_delete AFTER DELETE ON shifts
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'shifts'; END;
-- +goose StatementEnd
