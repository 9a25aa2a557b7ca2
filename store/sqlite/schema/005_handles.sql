-- Conversations are found by their handles: see store.Handle. SQLite cannot make one,
-- so that those stored before have none until somebody looks for one.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE conversations ADD COLUMN handle INTEGER;
CREATE INDEX conversations_handle ON conversations (handle);
