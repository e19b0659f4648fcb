-- +goose Up
CREATE INDEX sales_given_up ON sales (attempt_at) WHERE fulfilment IN ('failed', 'voided', 'cancelled');
