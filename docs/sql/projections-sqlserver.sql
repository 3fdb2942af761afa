-- The least rights to run projections on a SQL Server read model, and to read their status, as two roles. The owner of the tables is another user.
--
-- The owner creates the tables with projections-tables-sqlserver.sql, or by starting the projection once. Run this script afterwards in the read
-- model database, as an owner who may create roles: sqlcmd -I -b -d app -i projections-sqlserver.sql.
-- The tables must be in the owner's default schema, and each user of the roles needs that default schema too:
--     CREATE USER app_projections FOR LOGIN app_projections WITH DEFAULT_SCHEMA = dbo;
--     ALTER ROLE projection_runner ADD MEMBER app_projections;
-- This script grants no rights on the tables that the handler writes; grant them too. For a new read model, PrepareAsync of the handler needs the rights to
-- create tables: CREATE TABLE in the database, and ALTER on the schema. Nothing is granted on types and procedures: the statements use no table type, and
-- everybody may execute sp_getapplock.

IF DATABASE_PRINCIPAL_ID(N'projection_runner') IS NULL CREATE ROLE projection_runner;
IF DATABASE_PRINCIPAL_ID(N'projection_reader') IS NULL CREATE ROLE projection_reader;
GO
-- To run projections, and to operate them with ProjectionControl.
GRANT SELECT, INSERT, UPDATE, DELETE ON throttled_projection TO projection_runner;
GRANT SELECT, INSERT, UPDATE, DELETE ON throttled_projection_shard TO projection_runner;
GRANT SELECT, INSERT, UPDATE, DELETE ON throttled_projection_offset TO projection_runner;
GRANT SELECT, INSERT, UPDATE, DELETE ON throttled_projection_lane TO projection_runner;
GRANT SELECT, INSERT, UPDATE, DELETE ON throttled_projection_process TO projection_runner;
GRANT SELECT, INSERT, UPDATE, DELETE ON throttled_projection_dead_letter TO projection_runner;
GRANT SELECT, INSERT, UPDATE, DELETE ON throttled_projection_command TO projection_runner;
GRANT SELECT ON throttled_projection_status TO projection_runner, projection_reader;
GRANT SELECT ON throttled_projection_schema TO projection_runner, projection_reader;
-- To read the status with ProjectionControl; the view does not need it. There is no right on dead letters, because they contain events.
GRANT SELECT ON throttled_projection TO projection_reader;
GRANT SELECT ON throttled_projection_lane TO projection_reader;
