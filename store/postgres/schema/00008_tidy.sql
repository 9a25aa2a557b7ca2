-- New entries are sorted into the index of words once in five seconds, and not in one:
-- a word of many of them is looked up once for all. A search reads those that wait.

-- +goose Up
-- As in 00005_tenants.sql but for the time. Programs of the schema before call it as well.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tenfold_tidy(months bigint[]) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    words oid;
    now_ms bigint := extract(epoch FROM clock_timestamp()) * 1000;
BEGIN
    IF NOT pg_try_advisory_xact_lock(x'74656e666f6c65'::bigint)
        OR now_ms - (SELECT last_value FROM tenfold_tidied) BETWEEN 0 AND 5000 THEN
        RETURN false;
    END IF;
    PERFORM setval('tenfold_tidied', now_ms);
    FOR words IN
        SELECT i.indexrelid FROM unnest(months) AS month JOIN pg_index AS i ON i.indrelid = to_regclass(tenfold_partition(month))
        JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_am AS a ON a.oid = c.relam WHERE a.amname = 'gin'
    LOOP
        PERFORM gin_clean_pending_list(words);
    END LOOP;
    RETURN true;
END $$;
-- +goose StatementEnd

-- To replace a function keeps who may call it, and nothing else of it.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION tenfold_tidy(bigint[]) SET search_path = %I, pg_temp', current_schema());
    ALTER FUNCTION tenfold_tidy(bigint[]) SET lock_timeout = '5s';
END $$;
-- +goose StatementEnd
