-- +goose Up
-- The chain's hashes anyone can make; the signature (<key id>:<HMAC of the hash>)
-- only who has a key that is not in the database. Entries from before have none:
-- the first signature vouches for them.
ALTER TABLE audit_entries ADD COLUMN mac TEXT NOT NULL DEFAULT '';
