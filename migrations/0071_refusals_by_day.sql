-- +goose Up
-- How many webhooks were refused in a day (UTC), and why, and when the last was. Anyone
-- can send those, so a row is a day and a reason, however many come.
CREATE TABLE webhook_refusal_days (
    day     TIMESTAMP NOT NULL,
    reason  TEXT      NOT NULL,
    count   BIGINT    NOT NULL CHECK (count > 0),
    last_at TIMESTAMP NOT NULL,
    PRIMARY KEY (day, reason)
);
