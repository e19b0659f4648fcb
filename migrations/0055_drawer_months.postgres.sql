-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION note_drawer_closing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO drawer_closings (shift_id) VALUES (NEW.id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER shifts_closed AFTER INSERT OR UPDATE ON shifts
    FOR EACH ROW WHEN (NEW.closed_at IS NOT NULL) EXECUTE FUNCTION note_drawer_closing();
