-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER break_acts_no_update BEFORE UPDATE ON break_acts
BEGIN SELECT RAISE(ABORT, 'break_acts is append-only'); END;
CREATE TRIGGER break_acts_no_delete BEFORE DELETE ON break_acts
BEGIN SELECT RAISE(ABORT, 'break_acts is append-only'); END;
-- +goose StatementEnd
