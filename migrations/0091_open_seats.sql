-- +goose Up
-- Whoever opened a shift sits in it, also where it was opened before seats were
-- written down.
UPDATE shifts SET seat_by = cashier_id, seat_at = opened_at WHERE seat_at IS NULL AND closed_at IS NULL;
