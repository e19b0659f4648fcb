-- +goose Up
-- What was booked over or short of a drawer, at its close and later.
CREATE INDEX postings_of_counts ON postings (account) WHERE kind = 'J17';
