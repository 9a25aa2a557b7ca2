-- How many tokens a conversation's provider counts for 100 estimated ones, for listings.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE conversations ADD COLUMN percent INTEGER NOT NULL DEFAULT 0;
