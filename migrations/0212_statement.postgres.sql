-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER statements_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON statements
    FOR EACH STATEMENT EXECUTE FUNCTION forbid_change();
-- +goose StatementEnd
