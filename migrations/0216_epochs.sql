-- +goose Up
-- How often what seldom changes was changed, so that a process knows whether what it
-- remembers still holds. Triggers count, in the transaction of the change.
CREATE TABLE epochs (
    name TEXT PRIMARY KEY,
    n BIGINT NOT NULL
);
INSERT INTO epochs (name, n) VALUES ('settings', 1), ('shifts', 1);
