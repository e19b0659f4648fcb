-- +goose Up
-- Margins of sales in another currency than the agent's were summed with more decimals
-- than the till has coins, and their mark-up as nothing: what they are part of is summed
-- anew.
INSERT INTO rollup_moves (sale_id) SELECT id FROM sales WHERE price_currency <> send_currency;
