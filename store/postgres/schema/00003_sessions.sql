-- What a listing shows of the session that a conversation was imported from: see
-- store.Origin and store.Stats.

-- +goose Up
ALTER TABLE tenfold_conversations
    ADD COLUMN tool      bytea NOT NULL DEFAULT '',
    ADD COLUMN directory bytea NOT NULL DEFAULT '',
    ADD COLUMN ended     bigint;    -- nanoseconds since 1970, NULL for none
