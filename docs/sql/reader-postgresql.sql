-- The least rights of a reader: of PostgreSqlJournal.OpenReader and of the Akka.NET plugin.
--
-- Run the script in the journal's database when the tables exist, as their owner or a superuser: psql -v ON_ERROR_STOP=1 -f reader-postgresql.sql.
-- Only the owner of the database can grant CONNECT. For other users, PostgreSQL warns that it was not granted. This matters only if CONNECT was
-- revoked from PUBLIC. The role must exist:
--     CREATE ROLE journal_reader LOGIN PASSWORD '…';
-- Replace the names below by yours. If tags are in a column of the journal, there is no tag table, and its name has no effect.
-- For a sharded journal, run the script in each database after its writer has marked it. The table throttled_shards then exists.

SELECT set_config('reader.role', 'journal_reader', false),
    set_config('reader.schema', 'public', false),
    set_config('reader.journal', 'journal', false),
    set_config('reader.ordering', 'ordering', false),
    set_config('reader.tags', 'tags', false);

DO $$
DECLARE
    role name := current_setting('reader.role');
    journal text := format('%I.%I', current_setting('reader.schema'), current_setting('reader.journal'));
    tags text := format('%I.%I', current_setting('reader.schema'), current_setting('reader.tags'));
    -- Of a sharded journal: the mark, which says which shard this is.
    shards text := format('%I.%I', current_setting('reader.schema'), 'throttled_shards');
    -- The sequence of the orderings: that of the column's default, or that of its identity.
    sequence text := coalesce(
        (SELECT format('%I.%I', n.nspname, c.relname) FROM pg_attrdef f
            JOIN pg_attribute a ON a.attrelid = f.adrelid AND a.attnum = f.adnum
            JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class c ON c.oid = d.refobjid AND c.relkind = 'S'
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE f.adrelid = to_regclass(journal) AND a.attname = current_setting('reader.ordering') LIMIT 1),
        pg_get_serial_sequence(journal, current_setting('reader.ordering')));
BEGIN
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), role);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_setting('reader.schema'), role);
    EXECUTE format('GRANT SELECT ON %s TO %I', journal, role);
    IF to_regclass(tags) IS NOT NULL THEN
        EXECUTE format('GRANT SELECT ON %s TO %I', tags, role);
    END IF;
    IF to_regclass(shards) IS NOT NULL THEN
        EXECUTE format('GRANT SELECT ON %s TO %I', shards, role);
    END IF;
    -- With this right, a reader detects a rewind at once. It can read without it.
    IF sequence IS NOT NULL THEN
        EXECUTE format('GRANT SELECT ON SEQUENCE %s TO %I', sequence, role);
    ELSE
        RAISE NOTICE 'No sequence of % was found, so no right on a sequence is granted.', journal;
    END IF;
    -- Optional, because a reader never writes.
    BEGIN
        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET default_transaction_read_only = on', role, current_database());
    EXCEPTION WHEN insufficient_privilege THEN
        RAISE NOTICE 'default_transaction_read_only is left as it is: %', SQLERRM;
    END;
END $$;

-- Optional: with this right, the log has the statement of a transaction that stalls the high-water mark, also of other users. Only a superuser
-- can grant it:
--     GRANT pg_read_all_stats TO journal_reader;
