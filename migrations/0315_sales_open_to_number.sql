-- +goose Up
-- The open sales to a number: each stands in the way of another like it, however old it is. The second condition
-- keeps PostgreSQL from taking this small index for other questions about open sales.
CREATE INDEX sales_open_to_number ON sales (account_number, id) WHERE final_at IS NULL AND account_number <> '';
