-- +goose Up
ALTER TABLE cash_moves DROP CONSTRAINT cash_moves_kind_check;
ALTER TABLE cash_moves ADD CONSTRAINT cash_moves_kind_check CHECK (kind IN ('in', 'safe', 'expense', 'back'));
