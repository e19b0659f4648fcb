-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER sale_events_no_update BEFORE UPDATE ON sale_events
BEGIN SELECT RAISE(ABORT, 'sale_events is append-only'); END;
CREATE TRIGGER sale_events_no_delete BEFORE DELETE ON sale_events
BEGIN SELECT RAISE(ABORT, 'sale_events is append-only'); END;
-- +goose StatementEnd
