-- +goose Up
-- What the customer handed over, in the currency of the price; 0: exactly that.
ALTER TABLE sales ADD COLUMN given_micros BIGINT NOT NULL DEFAULT 0;
-- A customer's receipt prints by itself as soon as a sale is complete.
ALTER TABLE printers ADD COLUMN auto BOOLEAN NOT NULL DEFAULT FALSE;
