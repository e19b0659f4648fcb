-- +goose Up
-- A PIN's serial as a hash under the vault's key: it is found by who knows it,
-- and told to nobody. '-' where the sealed receipt has none, '' where nobody has
-- looked yet.
ALTER TABLE sales ADD COLUMN serial_hash TEXT NOT NULL DEFAULT '';
CREATE INDEX sales_by_serial ON sales (serial_hash) WHERE serial_hash <> '' AND serial_hash <> '-';
