-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER cash_moves_no_update BEFORE UPDATE ON cash_moves
BEGIN SELECT RAISE(ABORT, 'cash_moves is append-only'); END;
CREATE TRIGGER cash_moves_no_delete BEFORE DELETE ON cash_moves
BEGIN SELECT RAISE(ABORT, 'cash_moves is append-only'); END;
CREATE TRIGGER drawer_counts_no_update BEFORE UPDATE ON drawer_counts
BEGIN SELECT RAISE(ABORT, 'drawer_counts is append-only'); END;
CREATE TRIGGER drawer_counts_no_delete BEFORE DELETE ON drawer_counts
BEGIN SELECT RAISE(ABORT, 'drawer_counts is append-only'); END;
CREATE TRIGGER z_reports_no_update BEFORE UPDATE ON z_reports
BEGIN SELECT RAISE(ABORT, 'z_reports is append-only'); END;
CREATE TRIGGER z_reports_no_delete BEFORE DELETE ON z_reports
BEGIN SELECT RAISE(ABORT, 'z_reports is append-only'); END;
CREATE TRIGGER closed_shifts_no_update BEFORE UPDATE ON shifts WHEN OLD.closed_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a closed shift stays as it is'); END;
CREATE TRIGGER closed_shifts_no_delete BEFORE DELETE ON shifts WHEN OLD.closed_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a closed shift stays as it is'); END;
-- +goose StatementEnd
