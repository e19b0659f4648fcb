-- +goose Up
-- What people set right, by time: few of all events, so the list of them does not
-- grow with what was sold.
CREATE INDEX sale_events_set_right ON sale_events (at) WHERE cause IN ('refunded', 'called_off', 'cancel_asked', 'tried_again', 'decided');
