-- +goose Up
-- Providers' logos, drawn anew, and the memory of those that could not be had.
CREATE TABLE logos (
    url        TEXT PRIMARY KEY,
    picture    TEXT      NOT NULL, -- a PNG in base64, '' after a failure
    fetched_at TIMESTAMP NOT NULL
);
