-- +goose Up
-- What each night deletes, without reading all that was ever sold and told: receipts and bodies that are still sealed,
-- and receipts whose serials nobody has looked for, which are few.
CREATE INDEX sales_sealed ON sales (id) WHERE sealed_receipt <> '';
CREATE INDEX sales_unhashed ON sales (id) WHERE serial_hash = '' AND sealed_receipt <> '';
CREATE INDEX webhooks_sealed ON webhooks (received_at) WHERE sealed_body <> '';
