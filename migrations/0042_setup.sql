-- +goose Up
-- What somebody said of a step of the first set-up, where the rest of the books
-- cannot show that it is done.
CREATE TABLE setup_steps (
    step       TEXT PRIMARY KEY,
    said       TEXT      NOT NULL CHECK (said IN ('checked', 'left-out')),
    settled_by TEXT      NOT NULL,
    settled_at TIMESTAMP NOT NULL
);
