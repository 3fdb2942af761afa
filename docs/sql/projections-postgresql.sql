-- The least rights to run projections on a PostgreSQL read model, and to read their status. The owner of the tables is another role.
--
-- The owner creates the tables with projections-tables-postgresql.sql, or by starting the projection once. Run this script afterwards in the read
-- model database, as the owner or a superuser: psql -v ON_ERROR_STOP=1 -f projections-postgresql.sql.
-- The roles must exist:
--     CREATE ROLE projection_runner LOGIN PASSWORD '…';
--     CREATE ROLE projection_reader LOGIN PASSWORD '…';
-- Replace the names below by yours. This script grants no rights on the tables that the handler writes; grant them too. For a new read model,
-- PrepareAsync of the handler needs the right to create tables.

SELECT set_config('projections.runner', 'projection_runner', false),
    set_config('projections.reader', 'projection_reader', false),
    set_config('projections.schema', 'public', false);

DO $$
DECLARE
    schema text := quote_ident(current_setting('projections.schema'));
    runner text := quote_ident(current_setting('projections.runner'));
    reader text := quote_ident(current_setting('projections.reader'));
    tables text := (SELECT string_agg(format('%s.%I', schema, t), ', ') FROM unnest(ARRAY['throttled_projection', 'throttled_projection_shard',
        'throttled_projection_offset', 'throttled_projection_lane', 'throttled_projection_process', 'throttled_projection_dead_letter', 'throttled_projection_command']) AS t);
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA %s TO %s, %s', schema, runner, reader);
    -- To run projections, and to operate them with ProjectionControl.
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %s', tables, runner);
    EXECUTE format('GRANT SELECT ON %1$s.throttled_projection_status, %1$s.throttled_projection_schema TO %2$s, %3$s', schema, runner, reader);
    -- To read the status with ProjectionControl; the view does not need it. There is no right on dead letters, because they contain events.
    EXECUTE format('GRANT SELECT ON %1$s.throttled_projection, %1$s.throttled_projection_lane TO %2$s', schema, reader);
END $$;
