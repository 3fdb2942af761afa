-- The tables of projections in a SQL Server read model. Run this script as their owner, if the user of the projection may not create tables. Then
-- run projections-sqlserver.sql, which grants the rights. Otherwise a projection creates the tables when it starts. The owner's default schema must be
-- that of the projection's user.
-- sqlcmd -I -b -i projections-tables-sqlserver.sql
-- Run it again before you deploy a new release: it updates older tables, and rights stay.
-- After an error it runs nothing more: NOEXEC is on until its end.
-- It waits at most half a second for a lock, because lanes wait too. If it fails with error 1222, run it again, or pause the projections first.

SET XACT_ABORT ON;
BEGIN TRANSACTION;
GO

SET LOCK_TIMEOUT 500;
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_command', N'U') IS NOT NULL AND COL_LENGTH(N'throttled_projection_command', N'lanes') IS NULL ALTER TABLE throttled_projection_command ADD lanes integer;
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_offset', N'U') IS NOT NULL AND COL_LENGTH(N'throttled_projection_offset', N'unhandled') IS NULL ALTER TABLE throttled_projection_offset ADD unhandled bigint NOT NULL DEFAULT 0;
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_command', N'U') IS NOT NULL AND COL_LENGTH(N'throttled_projection_command', N'given_by') IS NULL ALTER TABLE throttled_projection_command ADD given_by nvarchar(max) COLLATE Latin1_General_100_BIN2;
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_command', N'U') IS NOT NULL AND COL_LENGTH(N'throttled_projection_command', N'given_on') IS NULL ALTER TABLE throttled_projection_command ADD given_on nvarchar(max) COLLATE Latin1_General_100_BIN2;
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_command', N'U') IS NOT NULL AND COL_LENGTH(N'throttled_projection_command', N'reason') IS NULL ALTER TABLE throttled_projection_command ADD reason nvarchar(max) COLLATE Latin1_General_100_BIN2;
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_lane', N'U') IS NOT NULL AND COL_LENGTH(N'throttled_projection_lane', N'stopped_after_resumes') IS NULL ALTER TABLE throttled_projection_lane ADD stopped_after_resumes bigint;
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection', N'U') IS NOT NULL AND COL_LENGTH(N'throttled_projection', N'history') IS NULL ALTER TABLE throttled_projection ADD history nvarchar(max) COLLATE Latin1_General_100_BIN2;
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection', N'U') IS NOT NULL AND COL_LENGTH(N'throttled_projection', N'start_offset') IS NULL ALTER TABLE throttled_projection ADD start_offset nvarchar(max) COLLATE Latin1_General_100_BIN2;
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection', N'U') IS NOT NULL AND COL_LENGTH(N'throttled_projection', N'counted_from') IS NULL ALTER TABLE throttled_projection ADD counted_from bigint;
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection', N'U') IS NULL CREATE TABLE throttled_projection (
    version nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
    projection nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    role nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    source nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
    lanes integer NOT NULL,
    epoch bigint NOT NULL,
    paused bit NOT NULL,
    resumes bigint NOT NULL,
    journal_end bigint NOT NULL,
    journal_end_seen_at datetimeoffset,
    history nvarchar(max) COLLATE Latin1_General_100_BIN2,
    start_offset nvarchar(max) COLLATE Latin1_General_100_BIN2,
    counted_from bigint);
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_shard', N'U') IS NULL CREATE TABLE throttled_projection_shard (
    version nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    shard integer NOT NULL,
    first_slice integer NOT NULL,
    last_slice integer NOT NULL,
    journal_end bigint NOT NULL,
    journal_end_seen_at datetimeoffset,
    PRIMARY KEY (version, shard));
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_offset', N'U') IS NULL CREATE TABLE throttled_projection_offset (
    version nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    first_slice integer NOT NULL,
    last_slice integer NOT NULL,
    ordering bigint NOT NULL,
    timestamp bigint NOT NULL,
    epoch bigint NOT NULL,
    events bigint NOT NULL,
    unhandled bigint NOT NULL DEFAULT 0,
    moved_at datetimeoffset,
    PRIMARY KEY (version, first_slice));
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_lane', N'U') IS NULL CREATE TABLE throttled_projection_lane (
    version nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    lane integer NOT NULL,
    first_slice integer NOT NULL,
    last_slice integer NOT NULL,
    owner nvarchar(200) COLLATE Latin1_General_100_BIN2,
    lease_until datetimeoffset,
    state nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    error nvarchar(max) COLLATE Latin1_General_100_BIN2,
    events_per_second float NOT NULL,
    read_up_to bigint NOT NULL DEFAULT 0,
    stopped_after_resumes bigint,
    updated_at datetimeoffset,
    PRIMARY KEY (version, lane));
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_process', N'U') IS NULL CREATE TABLE throttled_projection_process (
    projection nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    process nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    lease_until datetimeoffset NOT NULL,
    PRIMARY KEY (projection, process));
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_dead_letter', N'U') IS NULL CREATE TABLE throttled_projection_dead_letter (
    version nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    persistence_id nvarchar(640) COLLATE Latin1_General_100_BIN2 NOT NULL,
    sequence_number bigint NOT NULL,
    ordering bigint NOT NULL,
    slice integer NOT NULL,
    timestamp bigint NOT NULL,
    serializer_id integer,
    manifest nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
    payload varbinary(max) NOT NULL,
    omitted_bytes integer NOT NULL,
    tags nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
    error nvarchar(max) COLLATE Latin1_General_100_BIN2,
    attempts integer NOT NULL,
    dead_lettered_at datetimeoffset NOT NULL,
    tried_at datetimeoffset,
    PRIMARY KEY NONCLUSTERED (version, persistence_id, ordering));
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF INDEXPROPERTY(OBJECT_ID(N'throttled_projection_dead_letter', N'U'), N'throttled_projection_dead_letter_slice', N'IndexID') IS NULL CREATE CLUSTERED INDEX throttled_projection_dead_letter_slice ON throttled_projection_dead_letter (version, slice, ordering); IF INDEXPROPERTY(OBJECT_ID(N'throttled_projection_dead_letter', N'U'), N'throttled_projection_dead_letter_slice', N'IsClustered') = 0 CREATE CLUSTERED INDEX throttled_projection_dead_letter_slice ON throttled_projection_dead_letter (version, slice, ordering) WITH (DROP_EXISTING = ON);
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_command', N'U') IS NULL CREATE TABLE throttled_projection_command (
    id bigint IDENTITY PRIMARY KEY,
    projection nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    version nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    verb nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    persistence_id nvarchar(640) COLLATE Latin1_General_100_BIN2,
    sequence_number bigint,
    ordering bigint,
    timestamp bigint,
    sharded_offset nvarchar(max) COLLATE Latin1_General_100_BIN2,
    lanes integer,
    slice integer,
    state nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    result nvarchar(max) COLLATE Latin1_General_100_BIN2,
    created_at datetimeoffset NOT NULL,
    done_at datetimeoffset,
    given_by nvarchar(max) COLLATE Latin1_General_100_BIN2,
    given_on nvarchar(max) COLLATE Latin1_General_100_BIN2,
    reason nvarchar(max) COLLATE Latin1_General_100_BIN2);
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF INDEXPROPERTY(OBJECT_ID(N'throttled_projection_command', N'U'), N'throttled_projection_command_waiting', N'IndexID') IS NULL CREATE INDEX throttled_projection_command_waiting ON throttled_projection_command (state, projection, id);
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF INDEXPROPERTY(OBJECT_ID(N'throttled_projection_command', N'U'), N'throttled_projection_command_done', N'IndexID') IS NULL CREATE INDEX throttled_projection_command_done ON throttled_projection_command (done_at);
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
IF OBJECT_ID(N'throttled_projection_schema', N'U') IS NULL CREATE TABLE throttled_projection_schema (version integer NOT NULL PRIMARY KEY, usable_from integer NOT NULL);
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
CREATE OR ALTER VIEW throttled_projection_status AS WITH shards AS (
    SELECT h.version, h.shard, h.first_slice, h.last_slice, h.journal_end, h.journal_end_seen_at,
        (SELECT min(CASE WHEN o.ordering > CASE WHEN (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))) THEN l.read_up_to ELSE 0 END THEN o.ordering ELSE CASE WHEN (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))) THEN l.read_up_to ELSE 0 END END) FROM throttled_projection_offset AS o JOIN throttled_projection_lane AS l ON l.version = o.version AND o.first_slice BETWEEN l.first_slice AND l.last_slice WHERE o.version = h.version AND o.first_slice BETWEEN h.first_slice AND h.last_slice) AS current_offset,
        ISNULL((SELECT o.timestamp FROM throttled_projection_offset AS o JOIN throttled_projection_lane AS l ON l.version = o.version AND o.first_slice BETWEEN l.first_slice AND l.last_slice WHERE o.version = h.version AND o.first_slice BETWEEN h.first_slice AND h.last_slice ORDER BY CASE WHEN o.ordering > CASE WHEN (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))) THEN l.read_up_to ELSE 0 END THEN o.ordering ELSE CASE WHEN (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))) THEN l.read_up_to ELSE 0 END END, o.timestamp OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY), 0) AS timestamp
    FROM (
        SELECT version, shard, first_slice, last_slice, journal_end, journal_end_seen_at FROM throttled_projection_shard
        UNION ALL
        SELECT p.version, -1, 0, 1023, p.journal_end, p.journal_end_seen_at FROM throttled_projection AS p
        WHERE NOT EXISTS (SELECT 1 FROM throttled_projection_shard AS t WHERE t.version = p.version)) AS h), journals AS (
    SELECT s.version,
        CAST(sum(s.current_offset) AS bigint) AS current_offset,
        CAST(sum(CASE WHEN s.journal_end > coalesce(s.current_offset, 0) THEN s.journal_end ELSE coalesce(s.current_offset, 0) END) AS bigint) AS journal_end,
        CASE WHEN sum(CASE WHEN (s.shard = -1 OR s.current_offset IS NOT NULL) AND s.journal_end_seen_at IS NULL THEN 1 ELSE 0 END) = 0
            THEN min(CASE WHEN s.shard = -1 OR s.current_offset IS NOT NULL THEN s.journal_end_seen_at END) END AS journal_end_seen_at,
        CAST(sum(CASE WHEN s.current_offset < s.journal_end THEN s.journal_end - s.current_offset ELSE 0 END) AS bigint) AS lag,
        min(CASE WHEN s.current_offset < s.journal_end THEN s.timestamp END) AS timestamp,
        STRING_AGG(CAST(CASE WHEN s.shard <> -1 THEN CONCAT(s.first_slice, '-', s.last_slice, ':', coalesce(s.current_offset, 0)) END AS nvarchar(max)), ',') WITHIN GROUP (ORDER BY s.shard) AS current_offsets,
        STRING_AGG(CAST(CASE WHEN s.shard <> -1 THEN CONCAT(s.first_slice, '-', s.last_slice, ':', CASE WHEN s.journal_end > coalesce(s.current_offset, 0) THEN s.journal_end ELSE coalesce(s.current_offset, 0) END) END AS nvarchar(max)), ',') WITHIN GROUP (ORDER BY s.shard) AS journal_ends
    FROM shards AS s GROUP BY s.version)
SELECT s.projection, s.version, s.role, s.source, s.paused, s.lanes, s.lanes_running, s.lanes_failed, s.current_offset, s.journal_end, s.journal_end_seen_at,
    CASE WHEN s.journal_end_seen_at IS NULL OR s.journal_end_seen_at < DATEADD(millisecond, CAST(-15 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0)) THEN NULL ELSE s.lag END AS lag_events,
    CASE WHEN s.journal_end_seen_at IS NULL OR s.journal_end_seen_at < DATEADD(millisecond, CAST(-15 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0)) THEN NULL WHEN s.lag = 0 THEN 0.0 WHEN s.timestamp = 0 THEN NULL
        ELSE CASE WHEN DATEDIFF_BIG(microsecond, '19700101', SYSUTCDATETIME()) / 1E6 - (s.timestamp - 621355968000000000) / 10000000.0 > 0.0 THEN DATEDIFF_BIG(microsecond, '19700101', SYSUTCDATETIME()) / 1E6 - (s.timestamp - 621355968000000000) / 10000000.0 ELSE 0.0 END END AS lag_seconds,
    s.events_per_second,
    CASE WHEN s.journal_end_seen_at IS NULL OR s.journal_end_seen_at < DATEADD(millisecond, CAST(-15 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0)) THEN NULL WHEN s.lag = 0 THEN 0.0 WHEN s.events_per_second > 0
        THEN s.lag * (CASE WHEN s.source <> 'all' AND s.events > 0 AND s.events < (s.current_offset - s.counted_from) THEN s.events * 1.0 / (s.current_offset - s.counted_from) ELSE 1.0 END) / s.events_per_second END AS seconds_left,
    s.events, s.dead_letters, s.commands_waiting, s.current_offsets, s.journal_ends, s.unhandled, s.start_offset
FROM (
    SELECT p.projection, p.version, p.role, p.source, p.paused, p.lanes, coalesce(p.start_offset, '0') AS start_offset, coalesce(p.counted_from, 0) AS counted_from, j.journal_end, j.journal_end_seen_at, j.current_offset, j.lag, j.timestamp, j.current_offsets, j.journal_ends,
        (SELECT coalesce(CAST(sum(o.events) AS bigint), 0) FROM throttled_projection_offset AS o WHERE o.version = p.version) AS events,
        (SELECT coalesce(CAST(sum(o.unhandled) AS bigint), 0) FROM throttled_projection_offset AS o WHERE o.version = p.version) AS unhandled,
        (SELECT COUNT_BIG(*) FROM throttled_projection_lane AS l WHERE l.version = p.version AND (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0)))
            AND l.state IN ('Running', 'Retrying')) AS lanes_running,
        (SELECT COUNT_BIG(*) FROM throttled_projection_lane AS l WHERE l.version = p.version AND (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0)))
            AND l.state = 'Failed') AS lanes_failed,
        (SELECT coalesce(sum(l.events_per_second), 0.0) FROM throttled_projection_lane AS l WHERE l.version = p.version AND (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))))
            AS events_per_second,
        (SELECT COUNT_BIG(*) FROM throttled_projection_dead_letter AS d WHERE d.version = p.version) AS dead_letters,
        (SELECT COUNT_BIG(*) FROM throttled_projection_command AS c WHERE c.projection = p.projection AND c.version = p.version
            AND c.state = 'Waiting') AS commands_waiting
    FROM throttled_projection AS p JOIN journals AS j ON j.version = p.version) AS s;
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
INSERT INTO throttled_projection_schema (version, usable_from) SELECT 4, 1 WHERE NOT EXISTS (SELECT 1 FROM throttled_projection_schema WITH (UPDLOCK, HOLDLOCK) WHERE version = 4);
GO
IF @@TRANCOUNT = 0 SET NOEXEC ON;
GO
COMMIT;
GO
SET NOEXEC OFF;
GO
