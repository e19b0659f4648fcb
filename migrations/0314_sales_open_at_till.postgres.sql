-- +goose Up
-- The open sales of a till, for its tray. PostgreSQL took a small index rather than sales_by_end, and
-- read the open sales of all tills: thousands while a provider does not answer.
CREATE INDEX sales_open_at_till ON sales (till_id) WHERE final_at IS NULL;
