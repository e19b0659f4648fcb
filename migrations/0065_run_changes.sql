-- +goose Up
-- What a run of the synchronisation changed is read by the run, in the order in
-- which it was written. Beside moves there are now the fields added and removed.
CREATE INDEX catalog_changes_run ON catalog_changes (run_id, id);
