-- The least rights with which projections run on a PostgreSQL read model whose tables an owner has made, and with which their status is read.
--
-- The owner makes the tables by projections-tables-postgresql.sql, or by starting the projection once as himself. Run this behind it in the
-- read model's database, as the owner or a superuser: psql -v ON_ERROR_STOP=1 -f projections-postgresql.sql.
-- The roles have to be there:
--     CREATE ROLE projection_runner LOGIN PASSWORD '…';
--     CREATE ROLE projection_reader LOGIN PASSWORD '…';
-- Change the names below to your own. What the handler writes needs rights of its own, which are not granted here. So does a new read model:
-- PrepareAsync of the handler may make tables only where its role may create them.

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
    -- Who runs projections, and who operates them by ProjectionControl.
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %s', tables, runner);
    EXECUTE format('GRANT SELECT ON %1$s.throttled_projection_status, %1$s.throttled_projection_schema TO %2$s, %3$s', schema, runner, reader);
    -- Who reads the status by ProjectionControl; the view alone needs neither. Dead letters hold events, so they stay closed.
    EXECUTE format('GRANT SELECT ON %1$s.throttled_projection, %1$s.throttled_projection_lane TO %2$s', schema, reader);
END $$;
