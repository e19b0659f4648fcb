-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION forbid_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION forbid_audit_change();
CREATE TRIGGER audit_head_stays BEFORE DELETE OR TRUNCATE ON audit_head
    FOR EACH STATEMENT EXECUTE FUNCTION forbid_audit_change();
CREATE TRIGGER audit_head_moves_on BEFORE UPDATE ON audit_head
    FOR EACH ROW WHEN (NEW.seq <> OLD.seq + 1) EXECUTE FUNCTION forbid_audit_change();
-- +goose StatementEnd
