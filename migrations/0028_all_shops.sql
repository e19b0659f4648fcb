-- +goose Up
-- The days and months of all shops together are rollups of their own from here
-- on, under the shop "all".
INSERT INTO rollup_stale (level, shop_id, starts)
SELECT DISTINCT level, 'all', starts FROM rollups WHERE level IN ('day', 'month')
ON CONFLICT DO NOTHING;
