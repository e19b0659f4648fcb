-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'audit_entries is append-only'); END;
CREATE TRIGGER audit_entries_no_delete BEFORE DELETE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'audit_entries is append-only'); END;
CREATE TRIGGER audit_head_stays BEFORE DELETE ON audit_head
BEGIN SELECT RAISE(ABORT, 'audit_head is append-only'); END;
CREATE TRIGGER audit_head_moves_on BEFORE UPDATE ON audit_head WHEN NEW.seq <> OLD.seq + 1
BEGIN SELECT RAISE(ABORT, 'audit_head is append-only'); END;
-- +goose StatementEnd
