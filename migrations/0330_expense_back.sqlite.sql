-- +goose Up
-- SQLite changes no CHECK of a column, so another one takes its place and name. What was booked stays as it was.
-- +goose StatementBegin
DROP TRIGGER cash_moves_no_update;
ALTER TABLE cash_moves ADD COLUMN moved TEXT NOT NULL DEFAULT 'in' CHECK (moved IN ('in', 'safe', 'expense', 'back'));
UPDATE cash_moves SET moved = kind;
ALTER TABLE cash_moves DROP COLUMN kind;
ALTER TABLE cash_moves RENAME COLUMN moved TO kind;
CREATE TRIGGER cash_moves_no_update BEFORE UPDATE ON cash_moves
BEGIN SELECT RAISE(ABORT, 'cash_moves is append-only'); END;
-- +goose StatementEnd
