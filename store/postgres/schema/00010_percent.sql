-- How many tokens a conversation's provider counts for 100 estimated ones, for listings.
-- Programs of the schema before leave it as it is.

-- +goose Up
ALTER TABLE tenfold_conversations ADD COLUMN percent bigint NOT NULL DEFAULT 0;
