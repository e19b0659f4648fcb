-- +goose Up
-- When the identity provider asked for the second step at the sign-in on a device: a PIN opens that sign-in again.
ALTER TABLE device_users ADD COLUMN second_at TIMESTAMP;
