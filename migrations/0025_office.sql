-- +goose Up
-- Reports that somebody wants to find again.
CREATE TABLE report_views (
    id      TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    name    TEXT NOT NULL,
    path    TEXT NOT NULL, -- address and question, below /reports/
    made_at TIMESTAMP NOT NULL,
    UNIQUE (user_id, name)
);

-- The sales whose outcome is open, which every page counts. A sale is final
-- exactly when final_at is set; the guarded updates of a sale name its state and
-- not this column, so the index cannot draw them away from the primary key.
CREATE INDEX sales_not_final ON sales (shop_id, id) WHERE final_at IS NULL;
