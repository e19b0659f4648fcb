-- +goose Up
-- Reports that go out by mail, on a schedule.
CREATE TABLE report_mailings (
    id         TEXT PRIMARY KEY,
    user_id    TEXT      NOT NULL REFERENCES users (id), -- with whose rights it is made
    path       TEXT      NOT NULL, -- the report, as its address asks for it; the schedule names the period
    recipients TEXT      NOT NULL, -- addresses, one a line
    format     TEXT      NOT NULL CHECK (format IN ('csv', 'xlsx', 'pdf')),
    every      TEXT      NOT NULL CHECK (every IN ('day', 'week', 'month')),
    hour       INTEGER   NOT NULL CHECK (hour BETWEEN 0 AND 23),
    zone       TEXT      NOT NULL,
    language   TEXT      NOT NULL,
    slot_at    TIMESTAMP NOT NULL, -- when the next one is due
    next_at    TIMESTAMP NOT NULL, -- when it is tried next
    tries      INTEGER   NOT NULL, -- of this one
    sent_at    TIMESTAMP,
    problem    TEXT      NOT NULL, -- why the last try failed
    made_at    TIMESTAMP NOT NULL
);
CREATE INDEX report_mailings_due ON report_mailings (next_at);
