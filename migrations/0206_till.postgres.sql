-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER cash_moves_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON cash_moves
    FOR EACH STATEMENT EXECUTE FUNCTION forbid_change();
CREATE TRIGGER drawer_counts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON drawer_counts
    FOR EACH STATEMENT EXECUTE FUNCTION forbid_change();
CREATE TRIGGER z_reports_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON z_reports
    FOR EACH STATEMENT EXECUTE FUNCTION forbid_change();
CREATE TRIGGER closed_shifts_stay BEFORE UPDATE OR DELETE ON shifts
    FOR EACH ROW WHEN (OLD.closed_at IS NOT NULL) EXECUTE FUNCTION forbid_change();
-- +goose StatementEnd
