-- +goose NO TRANSACTION
-- Prepares the tables for tenants while programs of the schema before still
-- read and write them: nothing here holds a lock for long, and what is
-- interrupted is run again from the start.

-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    -- Roles belong to the whole server: the migration of another database may
    -- make it at the same time. A plain owner needs none: its own rows are
    -- held to the policies (FORCE).
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tenfold_app') THEN
        CREATE ROLE tenfold_app NOLOGIN;
    END IF;
EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
END $$;
-- +goose StatementEnd

-- Who waits for a table has those wait that come later.
SET lock_timeout = '5s';

ALTER TABLE tenfold_entries ADD COLUMN IF NOT EXISTS tenant_id integer NOT NULL DEFAULT 1;

ALTER TABLE tenfold_conversations
    ADD COLUMN IF NOT EXISTS tenant_id integer NOT NULL DEFAULT 1,
    -- The bytes of meta and text of its entries, and of how many.
    ADD COLUMN IF NOT EXISTS bytes     bigint  NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS counted   bigint  NOT NULL DEFAULT 0;

-- +goose StatementBegin
DO $$
BEGIN
    -- An index of which only a part was built.
    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('tenfold_entries_2020_01_pkey') AND NOT indisvalid) THEN
        DROP INDEX tenfold_entries_2020_01_pkey;
    END IF;
    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('tenfold_entries_2020_01_id') AND NOT indisvalid) THEN
        DROP INDEX tenfold_entries_2020_01_id;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'tenfold_entries'::regclass AND conname = 'tenfold_month') THEN
        ALTER TABLE tenfold_entries ADD CONSTRAINT tenfold_month CHECK (conversation >= 0 AND conversation < 1::bigint << 40) NOT VALID;
    END IF;
END $$;
-- +goose StatementEnd

RESET lock_timeout;

ALTER TABLE tenfold_entries VALIDATE CONSTRAINT tenfold_month;

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS tenfold_entries_2020_01_pkey ON tenfold_entries (tenant_id, conversation, seq);

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS tenfold_entries_2020_01_id ON tenfold_entries (tenant_id, conversation, id);

-- Counts some conversations at a time. Both figures are of one snapshot, so
-- that what is appended meanwhile is what is counted later.
-- +goose StatementBegin
DO $$
DECLARE
    last bigint := -1;
BEGIN
    LOOP
        WITH part AS (
            SELECT key FROM tenfold_conversations WHERE key > last ORDER BY key LIMIT 50
        ), sums AS (
            SELECT e.conversation, max(e.seq) AS entries, sum(octet_length(e.meta) + coalesce(octet_length(e.text), 0)) AS bytes
            FROM part JOIN tenfold_entries AS e ON e.conversation = part.key GROUP BY e.conversation
        ), changed AS (
            UPDATE tenfold_conversations AS c SET bytes = sums.bytes, counted = sums.entries
            FROM sums WHERE c.key = sums.conversation AND c.counted < sums.entries
        )
        SELECT max(key) INTO last FROM part;
        EXIT WHEN last IS NULL;
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd
