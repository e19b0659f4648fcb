-- +goose Up
-- The nightly check reads every posting and every sale. With the kind of journal
-- in it, a drawer is checked from the index alone, and so is the float.
DROP INDEX postings_by_account;
CREATE INDEX postings_by_account ON postings (account, currency, id, micros, kind);
-- What a shift has sold, without the sales themselves.
CREATE INDEX sales_by_shift ON sales (shift_id, price_micros, practice);
