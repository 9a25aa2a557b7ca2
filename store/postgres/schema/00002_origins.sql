-- What a conversation was imported from: see store.Origin.

-- +goose Up
ALTER TABLE tenfold_conversations
    ADD COLUMN origin bytea NOT NULL DEFAULT '',
    ADD COLUMN mark   bytea NOT NULL DEFAULT '';

-- By its hash, for an index holds no key of any length. An append that leaves
-- the origin as it is touches no index.
CREATE INDEX tenfold_conversations_origin ON tenfold_conversations (sha256(origin)) WHERE origin <> '';
