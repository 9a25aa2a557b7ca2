-- The order of listings, the last appended to first: see store.Store.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE conversations ADD COLUMN place INTEGER AS (ifnull(-updated, 9223372036854775807)) VIRTUAL;
CREATE INDEX conversations_place ON conversations (place, id);
