-- +goose Up
-- What a limit stopped, named: the same sale asked for again is not another stop. Each
-- row of before stands for itself.
ALTER TABLE limit_stops ADD COLUMN asked TEXT NOT NULL DEFAULT '';
UPDATE limit_stops SET asked = id;
CREATE INDEX limit_stops_asked ON limit_stops (asked);
