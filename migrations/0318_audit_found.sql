-- +goose Up
-- What somebody did, or all of one act, the newest first: of a trail of years, a page is read from its place.
CREATE INDEX audit_entries_by_act ON audit_entries (action, seq);
CREATE INDEX audit_entries_by_person ON audit_entries (user_id, seq);
