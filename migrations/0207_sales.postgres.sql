-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER sale_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON sale_events
    FOR EACH STATEMENT EXECUTE FUNCTION forbid_change();
-- +goose StatementEnd
