-- +goose Up
-- What was done to differences and balances since a moment, without reading all there ever was.
CREATE INDEX break_acts_by_time ON break_acts (at);
CREATE INDEX incidents_by_time ON incidents (at);
CREATE INDEX foreign_sales_by_booking ON foreign_sales (booked_at);
CREATE INDEX upstream_balances_explained ON upstream_balances (judged_at) WHERE verdict = 'explained';
CREATE INDEX breaks_resolved ON breaks (resolved_at, id) WHERE state = 'resolved';
CREATE INDEX shifts_by_cashier ON shifts (cashier_id, opened_at);
