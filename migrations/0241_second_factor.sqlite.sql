-- +goose Up
-- What a role takes is remembered with who is there.
-- +goose StatementBegin
CREATE TRIGGER role_rules_epoch_insert AFTER INSERT ON role_rules
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER role_rules_epoch_update AFTER UPDATE ON role_rules
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
CREATE TRIGGER role_rules_epoch_delete AFTER DELETE ON role_rules
BEGIN UPDATE epochs SET n = n + 1 WHERE name = 'settings'; END;
-- +goose StatementEnd
