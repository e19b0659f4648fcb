-- +goose Up
-- How many webhooks were refused in a minute, and why: whether somebody forges them
-- shows only over all processes.
CREATE TABLE webhook_refusals (
    minute TIMESTAMP NOT NULL,
    reason TEXT      NOT NULL,
    count  INTEGER   NOT NULL CHECK (count > 0),
    PRIMARY KEY (minute, reason)
);
