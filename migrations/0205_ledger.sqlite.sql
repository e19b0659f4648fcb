-- +goose Up
-- +goose StatementBegin
CREATE TABLE postings (
    id       INTEGER PRIMARY KEY,
    journal  TEXT      NOT NULL, -- what booked it: <sale>/<event>/<J>, or <J>/<ULID>
    line     INTEGER   NOT NULL,
    kind     TEXT      NOT NULL, -- J1 … J18
    sale_id  TEXT,
    account  TEXT      NOT NULL, -- 1100, 1000:<shift>
    micros   BIGINT    NOT NULL CHECK (micros <> 0), -- debit positive
    currency TEXT      NOT NULL,
    at       TIMESTAMP NOT NULL,
    UNIQUE (journal, line)
);
-- With amount and kind in it, accounts, drawers and the float are summed from the
-- index alone: looking each posting up takes ten times as long.
CREATE INDEX postings_by_account ON postings (account, currency, id, micros, kind);
CREATE INDEX postings_by_sale ON postings (sale_id);

CREATE TRIGGER postings_no_update BEFORE UPDATE ON postings
BEGIN SELECT RAISE(ABORT, 'postings is append-only'); END;
CREATE TRIGGER postings_no_delete BEFORE DELETE ON postings
BEGIN SELECT RAISE(ABORT, 'postings is append-only'); END;
-- +goose StatementEnd
