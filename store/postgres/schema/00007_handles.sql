-- Conversations are found by their handles: see store.Handle.

-- +goose Up
-- Programs of the schema before go on: they name the columns that they write.
ALTER TABLE tenfold_conversations
    ADD COLUMN handle integer NOT NULL GENERATED ALWAYS AS ((
        -- Two halves of four bytes, as a bigint has a sign; 967296 is 2^32 modulo a million.
        (('x' || encode(substring(sha256(id) FOR 4), 'hex'))::bit(32)::bigint * 967296
            + ('x' || encode(substring(sha256(id) FROM 5 FOR 4), 'hex'))::bit(32)::bigint) % 1000000
    )::integer) STORED;
CREATE INDEX tenfold_conversations_handle ON tenfold_conversations (tenant_id, handle);
