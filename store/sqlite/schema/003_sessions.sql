-- What a listing shows of the session that a conversation was imported from: see
-- store.Origin and store.Stats.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE conversations ADD COLUMN tool TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN directory TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN ended INTEGER; -- nanoseconds since 1970, NULL for none
