-- +goose Up
-- +goose StatementBegin
-- Every event of a sale leaves its name here, in the event's own transaction;
-- the next refresh of the rollups takes it. Rows are appended and taken away,
-- never updated, so that no sale waits for another.
CREATE TABLE rollup_moves (
    id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sale_id TEXT NOT NULL
);
CREATE FUNCTION note_rollup_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO rollup_moves (sale_id) SELECT DISTINCT sale_id FROM added;
    RETURN NULL;
END $$;
CREATE TRIGGER sale_events_rolled_up AFTER INSERT ON sale_events
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_rollup_move();

CREATE FUNCTION note_drawer_closing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO drawer_closings (shift_id) VALUES (NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER shifts_closed AFTER INSERT OR UPDATE ON shifts
    FOR EACH ROW WHEN (NEW.closed_at IS NOT NULL) EXECUTE FUNCTION note_drawer_closing();
-- +goose StatementEnd
