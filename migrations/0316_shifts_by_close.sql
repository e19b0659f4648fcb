-- +goose Up
-- The shifts of a shop, or of all shops, as they were closed: a page of their list is read from its place.
CREATE INDEX shifts_by_close ON shifts (shop_id, closed_at, id) WHERE closed_at IS NOT NULL;
CREATE INDEX shifts_all_by_close ON shifts (closed_at, id) WHERE closed_at IS NOT NULL;
