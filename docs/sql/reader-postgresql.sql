-- The least rights with which a reader works (PostgreSqlJournal.OpenReader and the Akka.NET plugin alike).
--
-- Run it in the journal's database once the tables are there, as their owner or a superuser: psql -v ON_ERROR_STOP=1 -f reader-postgresql.sql.
-- CONNECT is the database's owner's to grant; another is told that it was not granted, which matters only where it was taken from everyone.
-- The role has to be there:
--     CREATE ROLE journal_reader LOGIN PASSWORD '…';
-- Change the names below to your own. Where tags stand in a column of the journal, there is no tag table, and its name does not matter.
-- Run it in each database of a sharded journal, once its writer has marked it: the table throttled_shards is then there.

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
    -- Which shard this is, where the journal is divided among databases.
    shards text := format('%I.%I', current_setting('reader.schema'), 'throttled_shards');
    -- What the numbers are drawn from: the sequence of the column's default, or that of its identity.
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
    -- To notice at once that the journal went back; not needed to read.
    IF sequence IS NOT NULL THEN
        EXECUTE format('GRANT SELECT ON SEQUENCE %s TO %I', sequence, role);
    ELSE
        RAISE NOTICE 'The numbers of % are drawn from no sequence that could be found; none is granted.', journal;
    END IF;
    -- A reader never writes. This is no right, and nothing needs it.
    BEGIN
        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET default_transaction_read_only = on', role, current_database());
    EXCEPTION WHEN insufficient_privilege THEN
        RAISE NOTICE 'default_transaction_read_only is left as it is: %', SQLERRM;
    END;
END $$;

-- To name in the log the statement of a transaction that stalls the high-water mark, whoever runs it. Only a superuser grants it:
--     GRANT pg_read_all_stats TO journal_reader;
