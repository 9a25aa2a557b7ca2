-- The first schema. Migrations are numbered files; goose runs each once. All
-- that a file lacks run in one transaction, with the change of user_version
-- that records them: see schema.go.

-- +goose NO TRANSACTION
-- +goose Up
PRAGMA application_id = 1953392228; -- "tnfd"

CREATE TABLE conversations (
    -- AUTOINCREMENT: a key is never used again, so that a reader of a deleted
    -- log cannot come upon another's entries.
    key           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT    NOT NULL UNIQUE,
    title         TEXT    NOT NULL,
    created       INTEGER,          -- nanoseconds since 1970, NULL for none
    updated       INTEGER,
    version       INTEGER NOT NULL DEFAULT 0,
    -- The last seq the full-text index has seen; it may lag behind version.
    indexed       INTEGER NOT NULL DEFAULT 0,
    turns         INTEGER NOT NULL DEFAULT 0,
    tokens_before INTEGER NOT NULL DEFAULT 0,
    tokens_after  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One row an entry. key is the conversation's key << 32 | seq: a log lies
-- together and in order, and one number names an entry to the index.
CREATE TABLE entries (
    key  INTEGER PRIMARY KEY,
    meta BLOB NOT NULL,             -- all but the text: see row.go
    text ANY                        -- BLOB where it is no UTF-8
) STRICT;

-- Tells ids already in a log (L9). The id comes first because new ids mostly
-- grow with time: appends to many logs then touch the same few pages.
CREATE TABLE ids (
    id           TEXT    NOT NULL,
    conversation INTEGER NOT NULL,
    PRIMARY KEY (id, conversation)
) STRICT, WITHOUT ROWID;

-- Full text of all entries (D4), fed with words cut by package fulltext. It
-- keeps no text of its own.
CREATE VIRTUAL TABLE search USING fts5(
    text, content = '', contentless_delete = 1, tokenize = 'ascii'
);
