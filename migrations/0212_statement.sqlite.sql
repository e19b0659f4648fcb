-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER statements_no_update BEFORE UPDATE ON statements
BEGIN SELECT RAISE(ABORT, 'statements is append-only'); END;
CREATE TRIGGER statements_no_delete BEFORE DELETE ON statements
BEGIN SELECT RAISE(ABORT, 'statements is append-only'); END;
-- +goose StatementEnd
