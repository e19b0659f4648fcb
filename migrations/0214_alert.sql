-- +goose Up
-- What somebody must be told of, from when it began until it was over.
CREATE TABLE alerts (
    id              TEXT PRIMARY KEY,
    rule            TEXT      NOT NULL,
    tier            TEXT      NOT NULL CHECK (tier IN ('warning', 'critical')),
    facts           TEXT      NOT NULL, -- JSON list of texts: what the words are filled in with
    raised_at       TIMESTAMP NOT NULL,
    cleared_at      TIMESTAMP,
    acknowledged_by TEXT      NOT NULL, -- user id
    acknowledged_at TIMESTAMP
);
CREATE UNIQUE INDEX alerts_one_open ON alerts (rule) WHERE cleared_at IS NULL;

-- One message about one change of an alert, by one way.
CREATE TABLE alert_messages (
    id        TEXT PRIMARY KEY,
    alert_id  TEXT      NOT NULL REFERENCES alerts (id),
    change    TEXT      NOT NULL CHECK (change IN ('raised', 'worse', 'cleared')),
    way       TEXT      NOT NULL CHECK (way IN ('mail', 'webhook')),
    body      TEXT      NOT NULL, -- JSON, as the webhook sends it
    made_at   TIMESTAMP NOT NULL,
    tries     INTEGER   NOT NULL,
    sent_at   TIMESTAMP,
    problem   TEXT      NOT NULL -- of the last try, '' if there was none
);
CREATE INDEX alert_messages_unsent ON alert_messages (made_at) WHERE sent_at IS NULL;
