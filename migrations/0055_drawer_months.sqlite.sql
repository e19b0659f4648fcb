-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER shifts_closed AFTER UPDATE ON shifts WHEN NEW.closed_at IS NOT NULL
BEGIN INSERT INTO drawer_closings (shift_id) VALUES (NEW.id); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER shifts_born_closed AFTER INSERT ON shifts WHEN NEW.closed_at IS NOT NULL
BEGIN INSERT INTO drawer_closings (shift_id) VALUES (NEW.id); END;
-- +goose StatementEnd
