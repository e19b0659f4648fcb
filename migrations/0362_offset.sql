-- +goose Up
-- What each of a matched pair stood for. Of matches made before, a side that was never opened again tells it.
ALTER TABLE breaks ADD COLUMN offset_micros BIGINT NOT NULL DEFAULT 0;
UPDATE breaks SET offset_micros = booked_micros
    WHERE resolution = 'matched' AND kind NOT IN ('missing_upstream', 'state_behind')
    AND id NOT IN (SELECT break_id FROM break_acts WHERE act = 'reopened');
UPDATE breaks
    SET offset_micros = -COALESCE((SELECT other.offset_micros FROM breaks other WHERE other.id = breaks.reference), 0)
    WHERE resolution = 'matched' AND offset_micros = 0;
