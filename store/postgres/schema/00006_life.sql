-- The life of data: what is sealed by a tenant's keys, and since when a
-- conversation rests.

-- +goose Up
-- A program that does not seal cannot write for a tenant that is encrypted.
SELECT tenfold_break(6);

ALTER TABLE tenfold_conversations
    -- Its title, its origin and its entries are sealed: see package vault.
    ADD COLUMN sealed   boolean     NOT NULL DEFAULT false,
    -- The last append, or this migration, by the database's own clock.
    ADD COLUMN appended timestamptz NOT NULL DEFAULT now(),
    -- The minute of updated, the first of all for none. Listings read an index of it:
    -- one of updated itself would have every append write to all indexes of the table.
    ADD COLUMN minute   bigint      NOT NULL GENERATED ALWAYS AS (coalesce(updated, -9223372036854775808) / 60000000000) STORED;
CREATE INDEX tenfold_conversations_minute ON tenfold_conversations (tenant_id, minute DESC);

-- Since when all of a tenant's conversations must be sealed; NULL for a tenant
-- without keys, and while what it had is being sealed.
ALTER TABLE tenfold_tenants
    ADD COLUMN encrypted timestamptz,
    -- Whether its compactions may call the model of whoever runs the servers.
    ADD COLUMN models    boolean NOT NULL DEFAULT false;

-- Stops what a program does in the clear that opened a tenant before it had keys.
-- +goose StatementBegin
CREATE FUNCTION tenfold_plain() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF EXISTS (SELECT FROM tenfold_keys WHERE tenant_id = tenfold_tenant() AND version > 0) THEN
        RAISE EXCEPTION 'the tenant is encrypted' USING ERRCODE = 'TF003';
    END IF;
    RETURN true;
END $$;
-- +goose StatementEnd
