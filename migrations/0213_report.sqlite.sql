-- +goose Up
-- +goose StatementBegin
-- Every event of a sale leaves its name here, in the event's own transaction;
-- the next refresh of the rollups takes it.
CREATE TABLE rollup_moves (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    sale_id TEXT NOT NULL
);
CREATE TRIGGER sale_events_rolled_up AFTER INSERT ON sale_events
BEGIN INSERT INTO rollup_moves (sale_id) VALUES (NEW.sale_id); END;

CREATE TRIGGER shifts_closed AFTER UPDATE ON shifts WHEN NEW.closed_at IS NOT NULL
BEGIN INSERT INTO drawer_closings (shift_id) VALUES (NEW.id); END;
CREATE TRIGGER shifts_born_closed AFTER INSERT ON shifts WHEN NEW.closed_at IS NOT NULL
BEGIN INSERT INTO drawer_closings (shift_id) VALUES (NEW.id); END;
-- +goose StatementEnd
