-- +goose Up
-- Every event of a sale leaves its name here, in the event's own transaction;
-- the next refresh of the rollups takes it.
CREATE TABLE rollup_moves (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    sale_id TEXT NOT NULL
);
-- +goose StatementBegin
CREATE TRIGGER sale_events_rolled_up AFTER INSERT ON sale_events
BEGIN INSERT INTO rollup_moves (sale_id) VALUES (NEW.sale_id); END;
-- +goose StatementEnd
INSERT INTO rollup_moves (sale_id) SELECT id FROM sales;
