-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER break_acts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON break_acts
    FOR EACH STATEMENT EXECUTE FUNCTION forbid_change();
-- +goose StatementEnd
