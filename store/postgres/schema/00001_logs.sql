-- The first schema. Migrations are numbered files; goose runs each once.
-- All that people and models write is bytea: it may hold zeros, and need not
-- be UTF-8, whatever the database's encoding.

-- +goose Up
CREATE TABLE tenfold_conversations (
    -- A key is never used again, so that a reader of a deleted log cannot
    -- come upon another's entries.
    key           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- The id as an index can hold it: see short in rows.go.
    name          bytea  NOT NULL UNIQUE,
    id            bytea  NOT NULL,
    title         bytea  NOT NULL,
    created       bigint,           -- nanoseconds since 1970, NULL for none
    updated       bigint,
    version       bigint NOT NULL DEFAULT 0,
    turns         bigint NOT NULL DEFAULT 0,
    tokens_before bigint NOT NULL DEFAULT 0,
    tokens_after  bigint NOT NULL DEFAULT 0
)
-- Every append changes its row: room on the page spares the indexes.
WITH (fillfactor = 50);

-- One row an entry. There is no foreign key: an append holds the lock on its
-- conversation's row anyway, and Delete takes it first.
CREATE TABLE tenfold_entries (
    conversation bigint NOT NULL,
    seq          bigint NOT NULL,
    id           bytea  NOT NULL,   -- as name above
    meta         bytea  NOT NULL,   -- all but the text: see package row
    text         bytea,
    words        integer[],         -- hashes of the words in it: see rows.go
    PRIMARY KEY (conversation, seq)
);

-- Tells ids already in a log (L9).
CREATE UNIQUE INDEX tenfold_entries_id ON tenfold_entries (conversation, id);

-- Full text of all entries (D4).
CREATE INDEX tenfold_entries_words ON tenfold_entries USING gin (words);
