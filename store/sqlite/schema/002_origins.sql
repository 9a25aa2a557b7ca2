-- What a conversation was imported from: see store.Origin.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE conversations ADD COLUMN origin TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN mark TEXT NOT NULL DEFAULT '';

CREATE INDEX conversations_origin ON conversations (origin) WHERE origin <> '';
