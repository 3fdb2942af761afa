-- What Throttled runs on SQL Server, for read models, laid out in lines. Written by a test; accepted with THROTTLED_ACCEPT_SQL=1.


-- == read models ==

-- Schema, 1
SET LOCK_TIMEOUT 500;

-- Schema, 2
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

-- Schema, 3
IF OBJECT_ID(N'throttled_projection_shard', N'U') IS NULL CREATE TABLE throttled_projection_shard (
    version nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    shard integer NOT NULL,
    first_slice integer NOT NULL,
    last_slice integer NOT NULL,
    journal_end bigint NOT NULL,
    journal_end_seen_at datetimeoffset,
    PRIMARY KEY (version, shard));

-- Schema, 4
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

-- Schema, 5
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

-- Schema, 6
IF OBJECT_ID(N'throttled_projection_process', N'U') IS NULL CREATE TABLE throttled_projection_process (
    projection nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    process nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    lease_until datetimeoffset NOT NULL,
    PRIMARY KEY (projection, process));

-- Schema, 7
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

-- Schema, 8
IF INDEXPROPERTY(OBJECT_ID(N'throttled_projection_dead_letter', N'U'), N'throttled_projection_dead_letter_slice', N'IndexID') IS NULL CREATE CLUSTERED INDEX throttled_projection_dead_letter_slice ON throttled_projection_dead_letter (version, slice, ordering); IF INDEXPROPERTY(OBJECT_ID(N'throttled_projection_dead_letter', N'U'), N'throttled_projection_dead_letter_slice', N'IsClustered') = 0 CREATE CLUSTERED INDEX throttled_projection_dead_letter_slice ON throttled_projection_dead_letter (version, slice, ordering) WITH (DROP_EXISTING = ON);

-- Schema, 9
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

-- Schema, 10
IF INDEXPROPERTY(OBJECT_ID(N'throttled_projection_command', N'U'), N'throttled_projection_command_waiting', N'IndexID') IS NULL CREATE INDEX throttled_projection_command_waiting ON throttled_projection_command (state, projection, id);

-- Schema, 11
IF INDEXPROPERTY(OBJECT_ID(N'throttled_projection_command', N'U'), N'throttled_projection_command_done', N'IndexID') IS NULL CREATE INDEX throttled_projection_command_done ON throttled_projection_command (done_at);

-- Schema, 12
IF OBJECT_ID(N'throttled_projection_schema', N'U') IS NULL CREATE TABLE throttled_projection_schema (version integer NOT NULL PRIMARY KEY, usable_from integer NOT NULL);

-- Schema, 13
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

-- Schema, 14
INSERT INTO throttled_projection_schema (version, usable_from)
SELECT 4, 1
WHERE NOT EXISTS (SELECT 1
    FROM throttled_projection_schema WITH (UPDLOCK, HOLDLOCK)
    WHERE version = 4);

-- Schema, update 1
IF OBJECT_ID(N'throttled_projection_command', N'U') IS NOT NULL
    AND COL_LENGTH(N'throttled_projection_command', N'lanes') IS NULL ALTER TABLE throttled_projection_command ADD lanes integer;

-- Schema, update 2
IF OBJECT_ID(N'throttled_projection_offset', N'U') IS NOT NULL
    AND COL_LENGTH(N'throttled_projection_offset', N'unhandled') IS NULL ALTER TABLE throttled_projection_offset ADD unhandled bigint NOT NULL DEFAULT 0;

-- Schema, update 3
IF OBJECT_ID(N'throttled_projection_command', N'U') IS NOT NULL
    AND COL_LENGTH(N'throttled_projection_command', N'given_by') IS NULL ALTER TABLE throttled_projection_command ADD given_by nvarchar(max) COLLATE Latin1_General_100_BIN2;

-- Schema, update 4
IF OBJECT_ID(N'throttled_projection_command', N'U') IS NOT NULL
    AND COL_LENGTH(N'throttled_projection_command', N'given_on') IS NULL ALTER TABLE throttled_projection_command ADD given_on nvarchar(max) COLLATE Latin1_General_100_BIN2;

-- Schema, update 5
IF OBJECT_ID(N'throttled_projection_command', N'U') IS NOT NULL
    AND COL_LENGTH(N'throttled_projection_command', N'reason') IS NULL ALTER TABLE throttled_projection_command ADD reason nvarchar(max) COLLATE Latin1_General_100_BIN2;

-- Schema, update 6
IF OBJECT_ID(N'throttled_projection_lane', N'U') IS NOT NULL
    AND COL_LENGTH(N'throttled_projection_lane', N'stopped_after_resumes') IS NULL ALTER TABLE throttled_projection_lane ADD stopped_after_resumes bigint;

-- Schema, update 7
IF OBJECT_ID(N'throttled_projection', N'U') IS NOT NULL
    AND COL_LENGTH(N'throttled_projection', N'history') IS NULL ALTER TABLE throttled_projection ADD history nvarchar(max) COLLATE Latin1_General_100_BIN2;

-- Schema, update 8
IF OBJECT_ID(N'throttled_projection', N'U') IS NOT NULL
    AND COL_LENGTH(N'throttled_projection', N'start_offset') IS NULL ALTER TABLE throttled_projection ADD start_offset nvarchar(max) COLLATE Latin1_General_100_BIN2;

-- Schema, update 9
IF OBJECT_ID(N'throttled_projection', N'U') IS NOT NULL
    AND COL_LENGTH(N'throttled_projection', N'counted_from') IS NULL ALTER TABLE throttled_projection ADD counted_from bigint;

-- InstallLock
DECLARE @turn int;
EXEC @turn = sp_getapplock @Resource = N'throttled_projection', @LockMode = N'Exclusive', @LockOwner = N'Transaction';
IF @turn < 0 RAISERROR(N'sp_getapplock returned %d for the lock ''throttled_projection'', which a process needs to create the tables of projections. Try again.', 13, 1, @turn);

-- SetUp of a reading transaction
IF EXISTS (SELECT 1
    FROM sys.databases
    WHERE database_id = DB_ID()
        AND snapshot_isolation_state = 1) SET TRANSACTION ISOLATION LEVEL SNAPSHOT ELSE SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

-- SnapshotTearDown
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

-- WaitingReads
SELECT QUOTENAME(name)
FROM sys.databases
WHERE database_id = DB_ID()
    AND is_read_committed_snapshot_on = 0
    AND snapshot_isolation_state IN (0, 2);

-- CountTables
SELECT COUNT_BIG(*) FROM sys.objects AS o WHERE o.type IN ('U', 'V') AND o.name IN (N'throttled_projection', N'throttled_projection_shard', N'throttled_projection_offset', N'throttled_projection_lane', N'throttled_projection_process', N'throttled_projection_dead_letter', N'throttled_projection_command', N'throttled_projection_schema', N'throttled_projection_status')
    AND o.schema_id = (SELECT p.schema_id FROM sys.objects AS p WHERE p.object_id = OBJECT_ID(N'throttled_projection'));

-- CommandTable.PageAsync
SELECT id, version, verb, persistence_id, sequence_number, ordering, timestamp, sharded_offset, lanes FROM throttled_projection_command
WHERE projection = @projection AND state = 'Waiting' AND id > @after ORDER BY id OFFSET 0 ROWS FETCH NEXT @limit ROWS ONLY;

-- CommandTable.WaitingAsync
SELECT c.id
FROM OPENJSON(@rows) WITH (command bigint '$[0]') AS r
JOIN throttled_projection_command AS c ON c.id = r.command
WHERE c.state = 'Waiting' OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- CommandTable.InsertAsync
DELETE FROM throttled_projection_command WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) WHERE id IN (
    SELECT c.id FROM throttled_projection_command AS c WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) WHERE c.done_at < DATEADD(millisecond, CAST(-604800 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))
    ORDER BY c.done_at OFFSET 0 ROWS FETCH NEXT 4000 ROWS ONLY
    );

-- CommandTable.InsertAsync
INSERT INTO throttled_projection_command (projection, version, verb, persistence_id, sequence_number, ordering, timestamp, sharded_offset, lanes, slice, state, created_at, given_by, given_on, reason)
OUTPUT inserted.id VALUES (@projection, @version, @verb, @id, @number, @ordering, @timestamp, @sharded_offset, @lanes, @slice, 'Waiting', TODATETIMEOFFSET(SYSUTCDATETIME(), 0), @user, @host, @reason)
;

-- CommandTable.InsertDoneAsync
SET NOCOUNT OFF; INSERT INTO throttled_projection_command (projection, version, verb, state, result, created_at, done_at, given_by, given_on, reason)
VALUES (@projection, @version, @verb, 'Done', @result, TODATETIMEOFFSET(SYSUTCDATETIME(), 0), TODATETIMEOFFSET(SYSUTCDATETIME(), 0), @user, @host, @reason);

-- CommandTable.LastAsync
SELECT id, verb, version, persistence_id, sequence_number, state, result, created_at, done_at, given_by, given_on, reason
FROM throttled_projection_command
WHERE projection = @projection
ORDER BY id DESC
OFFSET 0 ROWS FETCH NEXT @limit ROWS ONLY;

-- CommandTable.InsertForDeadLettersAsync
DELETE FROM throttled_projection_command WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) WHERE id IN (
    SELECT c.id FROM throttled_projection_command AS c WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) WHERE c.done_at < DATEADD(millisecond, CAST(-604800 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))
    ORDER BY c.done_at OFFSET 0 ROWS FETCH NEXT 4000 ROWS ONLY
    );

-- CommandTable.InsertForDeadLettersAsync
INSERT INTO throttled_projection_command (projection, version, verb, persistence_id, slice, state, created_at, given_by, given_on, reason) OUTPUT inserted.id
SELECT @projection, version, @verb, persistence_id, slice, 'Waiting', TODATETIMEOFFSET(SYSUTCDATETIME(), 0), @user, @host, @reason
FROM (SELECT version, persistence_id, slice FROM throttled_projection_dead_letter WHERE version = @version
    GROUP BY version, persistence_id, DATALENGTH(persistence_id), slice) AS d
;

-- CommandTable.OutcomeAsync
SELECT state, result
FROM throttled_projection_command
WHERE id = @id;

-- CommandTable.CountWaitingAsync
SELECT COUNT_BIG(*)
FROM throttled_projection_command
WHERE version = @version
    AND verb = @verb
    AND id BETWEEN @first
    AND @last
    AND state = 'Waiting';

-- CommandTable.RefusalsAsync
SELECT persistence_id, result
FROM throttled_projection_command
WHERE version = @version
    AND verb = @verb
    AND id BETWEEN @first
    AND @last
    AND state IN ('Refused', 'Withdrawn')
ORDER BY id;

-- CommandTable.LockAsync
SET NOCOUNT OFF; UPDATE throttled_projection_command SET state = state
WHERE id = @id
    AND state = 'Waiting';

-- CommandTable.EndAsync
SET NOCOUNT OFF; UPDATE throttled_projection_command SET state = @state, result = @result, done_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
WHERE id = @id AND state = 'Waiting';

-- CommandTable.TryEndAsync
SET NOCOUNT OFF; UPDATE throttled_projection_command SET state = @state, result = @result, done_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
WHERE id = @id AND state = 'Waiting';

-- CommandTable.SetResultAsync
SET NOCOUNT OFF; UPDATE throttled_projection_command SET result = @result
WHERE id = @id;

-- CommandTable.WithdrawAsync
SET NOCOUNT OFF; UPDATE throttled_projection_command WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) SET state = 'Withdrawn', result = @result, done_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
WHERE id IN (SELECT c.id FROM throttled_projection_command AS c WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) WHERE c.projection = @projection AND c.id = @id AND c.state = 'Waiting'
    );

-- CommandTable.WithdrawAsync
SET NOCOUNT OFF; UPDATE throttled_projection_command WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) SET state = 'Withdrawn', result = @result, done_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
WHERE id IN (SELECT c.id FROM throttled_projection_command AS c WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) WHERE c.projection = @projection AND c.state = 'Waiting'
    );

-- CommandTable.FindAsync
SELECT id, verb, version, persistence_id, sequence_number, state, result, created_at, done_at, given_by, given_on, reason
FROM throttled_projection_command
WHERE projection = @projection
    AND id = @id;

-- CommandTable.RefuseOfLanesAsync
SET NOCOUNT OFF; UPDATE throttled_projection_command SET state = 'Refused', result = @result, done_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
WHERE projection = @projection AND state = 'Waiting' AND id IN (
    SELECT c.id FROM throttled_projection_command AS c WHERE c.projection = @projection AND c.state = 'Waiting' AND c.version = @version AND c.verb IN ('Retry', 'Discard') AND NOT EXISTS (SELECT 1 FROM throttled_projection_dead_letter AS d WHERE d.version = c.version AND d.persistence_id = c.persistence_id AND DATALENGTH(d.persistence_id) = DATALENGTH(c.persistence_id)));

-- CommandTable.RefuseOfLanesAsync
SET NOCOUNT OFF; UPDATE throttled_projection_command SET state = 'Refused', result = @result, done_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
WHERE projection = @projection AND state = 'Waiting' AND id IN (
    SELECT c.id FROM throttled_projection_command AS c WHERE c.projection = @projection AND c.state = 'Waiting' AND c.version = @version AND c.verb IN ('Retry', 'Discard'));

-- CommandTable.RefuseAllAsync
SET NOCOUNT OFF; UPDATE throttled_projection_command SET state = 'Refused', result = @result, done_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
WHERE projection = @projection AND state = 'Waiting' AND version = @version;

-- CommandTable.ForgetAsync
DELETE FROM throttled_projection_command WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) WHERE id IN (
    SELECT c.id FROM throttled_projection_command AS c WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) WHERE c.done_at < DATEADD(millisecond, CAST(-604800 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))
    ORDER BY c.done_at OFFSET 0 ROWS FETCH NEXT 4000 ROWS ONLY
    );

-- DeadLetterTable.CountAsync
SELECT persistence_id, COUNT_BIG(*) FROM throttled_projection_dead_letter
WHERE version = @version AND slice BETWEEN @first AND @last GROUP BY persistence_id, DATALENGTH(persistence_id);

-- DeadLetterTable.AnyAsync
SELECT 1
WHERE EXISTS (SELECT 1
    FROM throttled_projection_dead_letter
    WHERE version = @version);

-- DeadLetterTable.ReadAsync
SELECT persistence_id, sequence_number, ordering, timestamp, serializer_id, manifest, payload, omitted_bytes, tags, error, attempts, dead_lettered_at, tried_at FROM throttled_projection_dead_letter
WHERE version = @version AND persistence_id = @id AND DATALENGTH(persistence_id) = DATALENGTH(@id) ORDER BY ordering OFFSET 0 ROWS FETCH NEXT @limit ROWS ONLY;

-- DeadLetterTable.ReadAsync
SELECT persistence_id, sequence_number, ordering, timestamp, serializer_id, manifest, payload, omitted_bytes, tags, error, attempts, dead_lettered_at, tried_at FROM throttled_projection_dead_letter
WHERE version = @version ORDER BY ordering OFFSET 0 ROWS FETCH NEXT @limit ROWS ONLY;

-- DeadLetterTable.FirstOfIdsAsync
SELECT persistence_id, sequence_number, ordering, timestamp, serializer_id, manifest, payload, omitted_bytes, tags, error, attempts, dead_lettered_at, tried_at, behind FROM throttled_projection_dead_letter
JOIN (SELECT persistence_id AS id, min(ordering) AS lowest, COUNT_BIG(*) - 1 AS behind FROM throttled_projection_dead_letter
    WHERE version = @version GROUP BY persistence_id, DATALENGTH(persistence_id) ORDER BY lowest OFFSET 0 ROWS FETCH NEXT @limit ROWS ONLY) AS q ON persistence_id = id AND DATALENGTH(persistence_id) = DATALENGTH(id) AND ordering = lowest
WHERE version = @version ORDER BY ordering;

-- DeadLetterTable.FindAsync
SELECT ordering
FROM throttled_projection_dead_letter
WHERE version = @version
    AND persistence_id = @id
    AND DATALENGTH(persistence_id) = DATALENGTH(@id)
    AND sequence_number = @number
ORDER BY ordering;

-- DeadLetterTable.FindAsync
SELECT 1
WHERE EXISTS (SELECT 1
    FROM throttled_projection_dead_letter
    WHERE version = @version
        AND persistence_id = @id
        AND DATALENGTH(persistence_id) = DATALENGTH(@id)
        AND sequence_number <> @number);

-- DeadLetterTable.IdsAsync
SELECT persistence_id
FROM throttled_projection_dead_letter
WHERE version = @version
GROUP BY persistence_id, DATALENGTH(persistence_id)
ORDER BY persistence_id;

-- DeadLetterTable.NumbersAsync
SELECT sequence_number
FROM throttled_projection_dead_letter
WHERE version = @version
    AND persistence_id = @id
    AND DATALENGTH(persistence_id) = DATALENGTH(@id)
ORDER BY ordering;

-- DeadLetterTable.OneAsync
SELECT persistence_id, sequence_number, ordering, timestamp, serializer_id, manifest, payload, omitted_bytes, tags, error, attempts, dead_lettered_at, tried_at FROM throttled_projection_dead_letter
WHERE version = @version AND persistence_id = @id AND DATALENGTH(persistence_id) = DATALENGTH(@id) AND sequence_number = @number
ORDER BY CASE WHEN error IS NULL THEN 1 ELSE 0 END, ordering OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- DeadLetterTable.OneAsync
SELECT persistence_id, sequence_number, ordering, timestamp, serializer_id, manifest, payload, omitted_bytes, tags, error, attempts, dead_lettered_at, tried_at FROM throttled_projection_dead_letter
WHERE version = @version AND persistence_id = @id AND DATALENGTH(persistence_id) = DATALENGTH(@id)
ORDER BY CASE WHEN error IS NULL THEN 1 ELSE 0 END, ordering OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- DeadLetterTable.StoreAsync
SET NOCOUNT OFF; UPDATE throttled_projection_dead_letter SET sequence_number = r.number, slice = r.slice, timestamp = r.timestamp, serializer_id = r.serializer, manifest = r.manifest,
    payload = coalesce(r.payload, 0x), omitted_bytes = r.omitted, tags = r.tags, error = r.error, attempts = r.attempts, tried_at = CASE WHEN r.attempts > 0 THEN TODATETIMEOFFSET(SYSUTCDATETIME(), 0) END
FROM (SELECT r.id COLLATE Latin1_General_100_BIN2 AS id, r.number, r.ordering, r.slice, r.timestamp, r.serializer, r.manifest COLLATE Latin1_General_100_BIN2 AS manifest, r.payload, r.omitted, r.tags COLLATE Latin1_General_100_BIN2 AS tags, r.error COLLATE Latin1_General_100_BIN2 AS error, r.attempts FROM OPENJSON(@rows) WITH (id nvarchar(4000) '$[0]', number bigint '$[1]', ordering bigint '$[2]', slice int '$[3]', timestamp bigint '$[4]', serializer int '$[5]', manifest nvarchar(max) '$[6]', payload varbinary(max) '$[7]', omitted int '$[8]', tags nvarchar(max) '$[9]', error nvarchar(max) '$[10]', attempts int '$[11]') AS r) AS r JOIN throttled_projection_dead_letter ON throttled_projection_dead_letter.version = @version AND throttled_projection_dead_letter.persistence_id = r.id AND DATALENGTH(throttled_projection_dead_letter.persistence_id) = DATALENGTH(r.id) AND throttled_projection_dead_letter.ordering = r.ordering OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
INSERT INTO throttled_projection_dead_letter (version, persistence_id, sequence_number, ordering, slice, timestamp, serializer_id, manifest, payload, omitted_bytes, tags,
    error, attempts, dead_lettered_at, tried_at)
SELECT @version, r.id, r.number, r.ordering, r.slice, r.timestamp, r.serializer, r.manifest, coalesce(r.payload, 0x), r.omitted, r.tags,
    r.error, r.attempts, TODATETIMEOFFSET(SYSUTCDATETIME(), 0), CASE WHEN r.attempts > 0 THEN TODATETIMEOFFSET(SYSUTCDATETIME(), 0) END
FROM (SELECT r.id COLLATE Latin1_General_100_BIN2 AS id, r.number, r.ordering, r.slice, r.timestamp, r.serializer, r.manifest COLLATE Latin1_General_100_BIN2 AS manifest, r.payload, r.omitted, r.tags COLLATE Latin1_General_100_BIN2 AS tags, r.error COLLATE Latin1_General_100_BIN2 AS error, r.attempts FROM OPENJSON(@rows) WITH (id nvarchar(4000) '$[0]', number bigint '$[1]', ordering bigint '$[2]', slice int '$[3]', timestamp bigint '$[4]', serializer int '$[5]', manifest nvarchar(max) '$[6]', payload varbinary(max) '$[7]', omitted int '$[8]', tags nvarchar(max) '$[9]', error nvarchar(max) '$[10]', attempts int '$[11]') AS r) AS r WHERE NOT EXISTS (SELECT 1 FROM throttled_projection_dead_letter WHERE throttled_projection_dead_letter.version = @version AND throttled_projection_dead_letter.persistence_id = r.id AND DATALENGTH(throttled_projection_dead_letter.persistence_id) = DATALENGTH(r.id) AND throttled_projection_dead_letter.ordering = r.ordering) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- DeadLetterTable.StoreAsync
SELECT r.id FROM (SELECT r.id COLLATE Latin1_General_100_BIN2 AS id FROM OPENJSON(@rows) WITH (id nvarchar(4000) '$[0]') AS r) AS r
WHERE EXISTS (SELECT 1 FROM throttled_projection_dead_letter AS d WHERE d.version = @version AND d.persistence_id = r.id AND DATALENGTH(d.persistence_id) = DATALENGTH(r.id)) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- DeadLetterTable.RemoveAsync
SET NOCOUNT OFF; DELETE throttled_projection_dead_letter
FROM OPENJSON(@rows) WITH (ordering bigint '$[0]') AS r
JOIN throttled_projection_dead_letter ON version = @version
    AND persistence_id = @id
    AND DATALENGTH(persistence_id) = DATALENGTH(@id)
    AND throttled_projection_dead_letter.ordering = r.ordering OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- DeadLetterTable.DeleteAboveAsync
SET NOCOUNT OFF; DELETE TOP (2000)
FROM throttled_projection_dead_letter
WHERE version = @version
    AND slice BETWEEN @first
    AND @last
    AND ordering > @ordering;

-- DeadLetterTable.DeleteAsync
SET NOCOUNT OFF; DELETE TOP (2000)
FROM throttled_projection_dead_letter
WHERE version = @version;

-- LaneTable.ReadAsync
SELECT l.version, l.lane, l.first_slice, l.last_slice,
    CASE WHEN (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))) THEN l.owner END, l.state, l.error, l.events_per_second, l.owner
FROM throttled_projection_lane AS l JOIN throttled_projection AS p ON p.version = l.version
WHERE p.projection = @projection ORDER BY l.version, l.lane;

-- LaneTable.NotStoppedAsync
SELECT l.lane, l.owner, l.state FROM throttled_projection_lane AS l JOIN throttled_projection AS p ON p.version = l.version
WHERE l.version = @version AND l.owner IS NOT NULL AND (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0)))
    AND (l.stopped_after_resumes IS NULL OR l.stopped_after_resumes < p.resumes)
ORDER BY l.lane;

-- LaneTable.SlicesAsync
SELECT first_slice, last_slice
FROM throttled_projection_lane
WHERE version = @version
ORDER BY lane;

-- LaneTable.InsertAsync
SET NOCOUNT OFF; INSERT INTO throttled_projection_lane (version, lane, first_slice, last_slice, state, events_per_second, updated_at)
SELECT @version, r.lane, r.first, r.last, 'Idle', 0, TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
FROM OPENJSON(@rows) WITH (lane int '$[0]', first int '$[1]', last int '$[2]') AS r;

-- LaneTable.ResetAsync
SET NOCOUNT OFF; UPDATE throttled_projection_lane SET owner = NULL, lease_until = NULL, state = 'Idle', error = NULL, events_per_second = 0, stopped_after_resumes = NULL, read_up_to = 0, updated_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
WHERE version = @version;

-- LaneTable.DeleteAsync
SET NOCOUNT OFF; DELETE
FROM throttled_projection_lane
WHERE version = @version;

-- LaneTable.ClaimAsync
UPDATE throttled_projection_lane SET owner = @process, lease_until = DATEADD(millisecond, CAST(@lease * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0)), state = 'Idle', error = NULL,
    events_per_second = 0, stopped_after_resumes = NULL, updated_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
OUTPUT inserted.lane FROM (SELECT l.lane AS free FROM OPENJSON(@rows) WITH (wanted int '$[0]') AS r JOIN throttled_projection_lane AS l WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) ON l.lane = r.wanted
WHERE l.version = @version AND (l.owner IS NULL OR l.owner = @process OR NOT (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))))
    AND EXISTS (SELECT 1 FROM throttled_projection AS p WITH (READPAST, ROWLOCK, READCOMMITTEDLOCK) WHERE p.version = @version AND p.epoch = @epoch)
) AS f JOIN throttled_projection_lane WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) ON throttled_projection_lane.version = @version AND throttled_projection_lane.lane = f.free OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1)
;

-- LaneTable.RenewAsync
SET NOCOUNT OFF; UPDATE throttled_projection_lane SET lease_until = DATEADD(millisecond, CAST(@lease * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0)), state = r.state, error = r.error,
    events_per_second = r.speed, read_up_to = r.read_up_to, stopped_after_resumes = r.stopped, updated_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
FROM (SELECT r.lane, r.state COLLATE Latin1_General_100_BIN2 AS state, r.error COLLATE Latin1_General_100_BIN2 AS error, r.speed, r.read_up_to, r.stopped FROM OPENJSON(@rows) WITH (lane int '$[0]', state nvarchar(max) '$[1]', error nvarchar(max) '$[2]', speed float '$[3]', read_up_to bigint '$[4]', stopped bigint '$[5]') AS r) AS r JOIN throttled_projection_lane ON throttled_projection_lane.version = @version AND throttled_projection_lane.owner = @process AND throttled_projection_lane.lane = r.lane OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- LaneTable.ReleaseAsync
SET NOCOUNT OFF; UPDATE throttled_projection_lane SET owner = NULL, lease_until = NULL, state = 'Idle', error = NULL, events_per_second = 0, stopped_after_resumes = NULL, updated_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
FROM OPENJSON(@rows) WITH (lane int '$[0]') AS r JOIN throttled_projection_lane ON throttled_projection_lane.version = @version AND throttled_projection_lane.owner = @process AND throttled_projection_lane.lane = r.lane OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- LaneTable.LeaveAsync
SET NOCOUNT OFF; UPDATE throttled_projection_lane SET owner = NULL, lease_until = NULL, state = 'Idle', error = NULL, events_per_second = 0, stopped_after_resumes = NULL, updated_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
WHERE owner = @process AND version IN (SELECT p.version FROM throttled_projection AS p WHERE p.projection = @projection);

-- OffsetTable.ReadAsync
SELECT first_slice, last_slice, ordering, timestamp, epoch FROM throttled_projection_offset
WHERE version = @version AND first_slice <= @last AND last_slice >= @first ORDER BY first_slice;

-- OffsetTable.OfLanesAsync
SELECT coalesce(o.first_slice, l.first_slice), coalesce(o.last_slice, l.last_slice),
    CASE WHEN coalesce(o.ordering, 0) > CASE WHEN (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))) THEN l.read_up_to ELSE 0 END THEN coalesce(o.ordering, 0) ELSE CASE WHEN (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))) THEN l.read_up_to ELSE 0 END END, coalesce(o.timestamp, 0),
    l.lane, CASE WHEN (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))) THEN l.owner END, l.state, l.error
FROM throttled_projection_lane AS l LEFT JOIN throttled_projection_offset AS o ON o.version = l.version AND o.first_slice BETWEEN l.first_slice AND l.last_slice
WHERE l.version = @version ORDER BY l.lane, o.first_slice;

-- OffsetTable.LockAsync
SELECT first_slice, last_slice, ordering, timestamp
FROM throttled_projection_offset WITH (UPDLOCK, ROWLOCK)
WHERE version = @version
ORDER BY first_slice;

-- OffsetTable.LockAsync
SELECT first_slice, last_slice, ordering, timestamp
FROM throttled_projection_offset
WHERE version = @version
ORDER BY first_slice;

-- OffsetTable.MoveAsync
SET NOCOUNT OFF; UPDATE throttled_projection_offset SET last_slice = @to_last, ordering = @ordering, timestamp = @timestamp, events = events + @events,
    moved_at = CASE WHEN ordering = @ordering THEN moved_at ELSE TODATETIMEOFFSET(SYSUTCDATETIME(), 0) END
WHERE version = @version AND first_slice = @first AND last_slice = @last AND ordering = @known AND epoch = @epoch;

-- OffsetTable.MoveAsync
DELETE
FROM throttled_projection_offset OUTPUT deleted.events, deleted.unhandled
WHERE version = @version
    AND first_slice = @first
    AND last_slice = @last
    AND ordering = @known
    AND epoch = @epoch ;

-- OffsetTable.MoveAsync
SET NOCOUNT OFF; UPDATE throttled_projection_offset SET events = events + @events, unhandled = unhandled + @unhandled
WHERE version = @version
    AND first_slice = @first;

-- OffsetTable.InsertAsync
SET NOCOUNT OFF; INSERT INTO throttled_projection_offset (version, first_slice, last_slice, ordering, timestamp, epoch, events, unhandled, moved_at)
SELECT @version, r.first, r.last, r.ordering, r.timestamp, @epoch, r.events, r.unhandled, TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
FROM OPENJSON(@rows) WITH (first int '$[0]', last int '$[1]', ordering bigint '$[2]', timestamp bigint '$[3]', events bigint '$[4]', unhandled bigint '$[5]') AS r;

-- OffsetTable.SetEpochAsync
SET NOCOUNT OFF; UPDATE throttled_projection_offset SET epoch = @epoch
WHERE version = @version;

-- OffsetTable.DeleteAsync
DELETE
FROM throttled_projection_offset OUTPUT deleted.events, deleted.unhandled
WHERE version = @version ;

-- OffsetTable.CountAsync
SET NOCOUNT OFF; UPDATE throttled_projection_offset SET events = events + @events, unhandled = unhandled + @unhandled
WHERE version = @version
    AND first_slice = @first;

-- ProcessTable.ReadAsync
SELECT process
FROM throttled_projection_process
WHERE projection = @projection
    AND (lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0)));

-- ProcessTable.RenewAsync
SET NOCOUNT OFF; DELETE
FROM throttled_projection_process
WHERE projection = @projection
    AND lease_until < DATEADD(millisecond, CAST(-3600 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0));

-- ProcessTable.RenewAsync
SET NOCOUNT OFF; UPDATE throttled_projection_process SET lease_until = DATEADD(millisecond, CAST(@lease * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0)) WHERE projection = @projection AND process = @process;
INSERT INTO throttled_projection_process (projection, process, lease_until) SELECT @projection, @process, DATEADD(millisecond, CAST(@lease * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))
WHERE NOT EXISTS (SELECT 1 FROM throttled_projection_process WITH (UPDLOCK, HOLDLOCK) WHERE projection = @projection AND process = @process);

-- ProcessTable.LeaveAsync
SET NOCOUNT OFF; DELETE
FROM throttled_projection_process
WHERE projection = @projection
    AND process = @process;

-- ShardTable.ReadAsync
SELECT h.version, h.first_slice, h.last_slice, h.journal_end FROM throttled_projection_shard AS h JOIN throttled_projection AS p ON p.version = h.version
WHERE p.projection = @projection ORDER BY h.version, h.shard;

-- ShardTable.MapAsync
SELECT first_slice, last_slice
FROM throttled_projection_shard
WHERE version = @version
ORDER BY shard;

-- ShardTable.ReplaceAsync
SET NOCOUNT OFF; DELETE
FROM throttled_projection_shard
WHERE version = @version;

-- ShardTable.ReplaceAsync
SET NOCOUNT OFF; INSERT INTO throttled_projection_shard (version, shard, first_slice, last_slice, journal_end)
SELECT @version, r.shard, r.first, r.last, 0 FROM OPENJSON(@rows) WITH (shard int '$[0]', first int '$[1]', last int '$[2]') AS r;

-- ShardTable.SetJournalEndAsync
SET NOCOUNT OFF; UPDATE throttled_projection_shard SET journal_end = @journal_end, journal_end_seen_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
WHERE version = @version
    AND shard = @shard;

-- ShardTable.SetJournalEndAsync
SET NOCOUNT OFF; UPDATE throttled_projection SET journal_end = @journal_end, journal_end_seen_at = TODATETIMEOFFSET(SYSUTCDATETIME(), 0)
WHERE version = @version;

-- ShardTable.DeleteAsync
SET NOCOUNT OFF; DELETE
FROM throttled_projection_shard
WHERE version = @version;

-- StatusView.ReadAsync
SELECT l.version, l.lane, l.first_slice, l.last_slice,
    CASE WHEN (l.lease_until > TODATETIMEOFFSET(SYSUTCDATETIME(), 0) AND l.lease_until <= DATEADD(millisecond, CAST(7200 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))) THEN l.owner END, l.state, l.error, l.events_per_second, l.owner
FROM throttled_projection_lane AS l JOIN throttled_projection AS p ON p.version = l.version
WHERE p.projection = @projection ORDER BY l.version, l.lane;

-- StatusView.ReadAsync
SELECT projection, version, role, source, paused, current_offset, journal_end, journal_end_seen_at, lag_events, lag_seconds, events_per_second, seconds_left,
    events, dead_letters, commands_waiting, current_offsets, journal_ends, unhandled, start_offset
FROM throttled_projection_status WHERE projection = @projection ORDER BY version;

-- VersionTable.ReadAsync
SELECT version, projection, role, source, lanes, epoch, paused, resumes, journal_end, history, start_offset, counted_from, (SELECT coalesce(CAST(sum(o.events) AS bigint), 0)
    FROM throttled_projection_offset AS o
    WHERE o.version = p.version), (SELECT coalesce(CAST(sum(o.unhandled) AS bigint), 0)
        FROM throttled_projection_offset AS o
        WHERE o.version = p.version)
FROM throttled_projection AS p
WHERE projection = @projection
ORDER BY version;

-- VersionTable.ReadAsync
SELECT h.version, h.first_slice, h.last_slice, h.journal_end FROM throttled_projection_shard AS h JOIN throttled_projection AS p ON p.version = h.version
WHERE p.projection = @projection ORDER BY h.version, h.shard;

-- VersionTable.LockAsync
SELECT version, projection, role, source, lanes, epoch, paused, resumes, journal_end, history, start_offset, counted_from
FROM throttled_projection WITH (UPDLOCK, ROWLOCK)
WHERE version = @version;

-- VersionTable.ReadOneAsync
SELECT version, projection, role, source, lanes, epoch, paused, resumes, journal_end, history, start_offset, counted_from
FROM throttled_projection
WHERE version = @version;

-- VersionTable.FindAsync
SELECT version, projection, role, source, lanes, epoch, paused, resumes, journal_end, history, start_offset, counted_from
FROM throttled_projection WITH (UPDLOCK, ROWLOCK)
WHERE version = @version;

-- VersionTable.FindAsync
SELECT version, projection, role, source, lanes, epoch, paused, resumes, journal_end, history, start_offset, counted_from
FROM throttled_projection
WHERE version = @version;

-- VersionTable.InsertAsync
SET NOCOUNT OFF; DECLARE @turn int;
DECLARE @turn_name nvarchar(255) = CONCAT(N'throttled_projection ', @name);
EXEC @turn = sp_getapplock @Resource = @turn_name, @LockMode = N'Exclusive', @LockOwner = N'Transaction';
IF @turn < 0 RAISERROR(N'sp_getapplock returned %d for the lock ''%s'', which a process needs to create a read model. Try again.', 13, 1, @turn, @turn_name);

-- VersionTable.InsertAsync
SET NOCOUNT OFF; INSERT INTO throttled_projection (version, projection, role, source, lanes, epoch, paused, resumes, journal_end, history, start_offset, counted_from)
SELECT @version, @projection, @role, @source, @lanes, @epoch, @paused, @resumes, @journal_end, @history, @start, @counted
WHERE NOT EXISTS (SELECT 1 FROM throttled_projection WHERE version = @version);

-- VersionTable.UpdateAsync
SET NOCOUNT OFF; UPDATE throttled_projection SET role = @role, lanes = @lanes, epoch = @epoch, history = @history, start_offset = @start, counted_from = @counted
WHERE version = @version;

-- VersionTable.UpdateWrittenAsync
SET NOCOUNT OFF; UPDATE throttled_projection SET paused = 1, resumes = resumes + 1
WHERE version = @version
    AND role <> 'Retired';

-- VersionTable.DeleteAsync
SET NOCOUNT OFF; DELETE
FROM throttled_projection
WHERE version = @version;

-- VersionNames.FindAsync
SELECT projection, version, role
FROM throttled_projection
ORDER BY version;

-- VersionNames.CheckNewAsync
SELECT projection, version, role
FROM throttled_projection
ORDER BY version;

-- VersionNames.CheckNewAsync
SELECT version
FROM throttled_projection
WHERE version COLLATE DATABASE_DEFAULT = @version COLLATE DATABASE_DEFAULT;

-- VersionNames.FindAlikeAsync
SELECT projection, version, role
FROM throttled_projection
ORDER BY version;

-- VersionNames.FindAlikeAsync
SELECT version
FROM throttled_projection
WHERE version COLLATE DATABASE_DEFAULT = @version COLLATE DATABASE_DEFAULT;

-- VersionNames.ReadAsync
SELECT projection, version, role
FROM throttled_projection
ORDER BY version;

-- MergeTable, Key: upsert
SET XACT_ABORT ON; INSERT INTO "app"."Key" ("id", "a String", "a Int64", "a Int32", "a Int16", "a Boolean", "a Guid", "a DateTime", "a DateTimeOffset", "a Byte[]")
SELECT change."id", CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a String")), change."a Int64", change."a Int32", change."a Int16", change."a Boolean", change."a Guid", change."a DateTime", change."a DateTimeOffset", change."a Byte[]"
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a String" nvarchar(4000) '$[1]', "a Int64" bigint '$[2]', "a Int32" int '$[3]', "a Int16" smallint '$[4]', "a Boolean" bit '$[5]', "a Guid" uniqueidentifier '$[6]', "a DateTime" datetime2 '$[7]', "a DateTimeOffset" datetimeoffset '$[8]', "a Byte[]" varbinary(8000) '$[9]') AS change
WHERE NOT EXISTS (SELECT 1
    FROM "app"."Key" AS existing WITH (UPDLOCK, HOLDLOCK)
    WHERE existing."id" = change."id"
        AND existing."a String" = CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a String"))
        AND DATALENGTH(existing."a String") = DATALENGTH(CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a String")))
        AND existing."a Int64" = change."a Int64"
        AND existing."a Int32" = change."a Int32"
        AND existing."a Int16" = change."a Int16"
        AND existing."a Boolean" = change."a Boolean"
        AND existing."a Guid" = change."a Guid"
        AND existing."a DateTime" = change."a DateTime"
        AND existing."a DateTimeOffset" = change."a DateTimeOffset"
        AND existing."a Byte[]" = change."a Byte[]"
        AND DATALENGTH(existing."a Byte[]") = DATALENGTH(change."a Byte[]")) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- MergeTable, Key: delete
DELETE existing
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a String" nvarchar(4000) '$[1]', "a Int64" bigint '$[2]', "a Int32" int '$[3]', "a Int16" smallint '$[4]', "a Boolean" bit '$[5]', "a Guid" uniqueidentifier '$[6]', "a DateTime" datetime2 '$[7]', "a DateTimeOffset" datetimeoffset '$[8]', "a Byte[]" varbinary(8000) '$[9]') AS change
JOIN "app"."Key" AS existing ON existing."id" = change."id"
    AND existing."a String" = CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a String"))
    AND DATALENGTH(existing."a String") = DATALENGTH(CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a String")))
    AND existing."a Int64" = change."a Int64"
    AND existing."a Int32" = change."a Int32"
    AND existing."a Int16" = change."a Int16"
    AND existing."a Boolean" = change."a Boolean"
    AND existing."a Guid" = change."a Guid"
    AND existing."a DateTime" = change."a DateTime"
    AND existing."a DateTimeOffset" = change."a DateTimeOffset"
    AND existing."a Byte[]" = change."a Byte[]"
    AND DATALENGTH(existing."a Byte[]") = DATALENGTH(change."a Byte[]") OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- MergeTable, Set: upsert
SET XACT_ABORT ON; UPDATE existing SET "a String" = change."a String", "a Int64" = change."a Int64", "a Int32" = change."a Int32", "a Int16" = change."a Int16", "a Double" = change."a Double", "a Single" = change."a Single", "a Decimal" = change."a Decimal", "a Boolean" = change."a Boolean", "a Guid" = change."a Guid", "a DateTime" = change."a DateTime", "a DateTimeOffset" = change."a DateTimeOffset", "a Byte[]" = change."a Byte[]"
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a String" nvarchar(max) '$[1]', "a Int64" bigint '$[2]', "a Int32" int '$[3]', "a Int16" smallint '$[4]', "a Double" float '$[5]', "a Single" real '$[6]', "a Decimal" decimal(37, 18) '$[7]', "a Boolean" bit '$[8]', "a Guid" uniqueidentifier '$[9]', "a DateTime" datetime2 '$[10]', "a DateTimeOffset" datetimeoffset '$[11]', "a Byte[]" varbinary(max) '$[12]') AS change
JOIN "app"."Set" AS existing WITH (UPDLOCK, HOLDLOCK) ON existing."id" = change."id" OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); DECLARE @updated int = @@ROWCOUNT; INSERT INTO "app"."Set" ("id", "a String", "a Int64", "a Int32", "a Int16", "a Double", "a Single", "a Decimal", "a Boolean", "a Guid", "a DateTime", "a DateTimeOffset", "a Byte[]")
SELECT change."id", change."a String", change."a Int64", change."a Int32", change."a Int16", change."a Double", change."a Single", change."a Decimal", change."a Boolean", change."a Guid", change."a DateTime", change."a DateTimeOffset", change."a Byte[]"
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a String" nvarchar(max) '$[1]', "a Int64" bigint '$[2]', "a Int32" int '$[3]', "a Int16" smallint '$[4]', "a Double" float '$[5]', "a Single" real '$[6]', "a Decimal" decimal(37, 18) '$[7]', "a Boolean" bit '$[8]', "a Guid" uniqueidentifier '$[9]', "a DateTime" datetime2 '$[10]', "a DateTimeOffset" datetimeoffset '$[11]', "a Byte[]" varbinary(max) '$[12]') AS change
WHERE NOT EXISTS (SELECT 1
    FROM "app"."Set" AS existing WITH (UPDLOCK, HOLDLOCK)
    WHERE existing."id" = change."id") OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); IF @updated + @@ROWCOUNT < (SELECT COUNT_BIG(*)
        FROM OPENJSON(@rows)) THROW 50001, N'Two rows of a call have different keys that the table takes for one, because of its collation or the precision of its times. Give the key column a binary collation, such as Latin1_General_100_BIN2, or call Cast.', 1;

-- MergeTable, Set: delete
DELETE existing
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]') AS change
JOIN "app"."Set" AS existing ON existing."id" = change."id" OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- MergeTable, SetUnlessNull: upsert
SET XACT_ABORT ON; UPDATE existing SET "a String" = coalesce(CONVERT(nvarchar(max), CONVERT(varbinary(max), change."a String")), existing."a String"), "a Int64" = coalesce(change."a Int64", existing."a Int64"), "a Int32" = coalesce(change."a Int32", existing."a Int32"), "a Int16" = coalesce(change."a Int16", existing."a Int16"), "a Double" = coalesce(change."a Double", existing."a Double"), "a Single" = coalesce(change."a Single", existing."a Single"), "a Decimal" = coalesce(change."a Decimal", existing."a Decimal"), "a Boolean" = coalesce(change."a Boolean", existing."a Boolean"), "a Guid" = coalesce(change."a Guid", existing."a Guid"), "a DateTime" = coalesce(change."a DateTime", existing."a DateTime"), "a DateTimeOffset" = coalesce(change."a DateTimeOffset", existing."a DateTimeOffset"), "a Byte[]" = coalesce(change."a Byte[]", existing."a Byte[]")
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a String" nvarchar(max) '$[1]', "a Int64" bigint '$[2]', "a Int32" int '$[3]', "a Int16" smallint '$[4]', "a Double" float '$[5]', "a Single" real '$[6]', "a Decimal" decimal(37, 18) '$[7]', "a Boolean" bit '$[8]', "a Guid" uniqueidentifier '$[9]', "a DateTime" datetime2 '$[10]', "a DateTimeOffset" datetimeoffset '$[11]', "a Byte[]" varbinary(max) '$[12]') AS change
JOIN "app"."SetUnlessNull" AS existing WITH (UPDLOCK, HOLDLOCK) ON existing."id" = change."id" OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); DECLARE @updated int = @@ROWCOUNT; INSERT INTO "app"."SetUnlessNull" ("id", "a String", "a Int64", "a Int32", "a Int16", "a Double", "a Single", "a Decimal", "a Boolean", "a Guid", "a DateTime", "a DateTimeOffset", "a Byte[]")
SELECT change."id", CONVERT(nvarchar(max), CONVERT(varbinary(max), change."a String")), change."a Int64", change."a Int32", change."a Int16", change."a Double", change."a Single", change."a Decimal", change."a Boolean", change."a Guid", change."a DateTime", change."a DateTimeOffset", change."a Byte[]"
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a String" nvarchar(max) '$[1]', "a Int64" bigint '$[2]', "a Int32" int '$[3]', "a Int16" smallint '$[4]', "a Double" float '$[5]', "a Single" real '$[6]', "a Decimal" decimal(37, 18) '$[7]', "a Boolean" bit '$[8]', "a Guid" uniqueidentifier '$[9]', "a DateTime" datetime2 '$[10]', "a DateTimeOffset" datetimeoffset '$[11]', "a Byte[]" varbinary(max) '$[12]') AS change
WHERE NOT EXISTS (SELECT 1
    FROM "app"."SetUnlessNull" AS existing WITH (UPDLOCK, HOLDLOCK)
    WHERE existing."id" = change."id") OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); IF @updated + @@ROWCOUNT < (SELECT COUNT_BIG(*)
        FROM OPENJSON(@rows)) THROW 50001, N'Two rows of a call have different keys that the table takes for one, because of its collation or the precision of its times. Give the key column a binary collation, such as Latin1_General_100_BIN2, or call Cast.', 1;

-- MergeTable, SetUnlessNull: delete
DELETE existing
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]') AS change
JOIN "app"."SetUnlessNull" AS existing ON existing."id" = change."id" OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- MergeTable, Add: upsert
SET XACT_ABORT ON; UPDATE existing SET "a Int64" = coalesce(existing."a Int64", 0) + coalesce(change."a Int64", 0), "a Int32" = coalesce(existing."a Int32", 0) + coalesce(change."a Int32", 0), "a Int16" = coalesce(existing."a Int16", 0) + coalesce(change."a Int16", 0), "a Double" = coalesce(existing."a Double", 0) + coalesce(change."a Double", 0), "a Single" = coalesce(existing."a Single", 0) + coalesce(change."a Single", 0), "a Decimal" = coalesce(existing."a Decimal", 0) + coalesce(change."a Decimal", 0)
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a Int64" bigint '$[1]', "a Int32" int '$[2]', "a Int16" smallint '$[3]', "a Double" float '$[4]', "a Single" real '$[5]', "a Decimal" decimal(37, 18) '$[6]') AS change
JOIN "app"."Add" AS existing WITH (UPDLOCK, HOLDLOCK) ON existing."id" = change."id" OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); DECLARE @updated int = @@ROWCOUNT; INSERT INTO "app"."Add" ("id", "a Int64", "a Int32", "a Int16", "a Double", "a Single", "a Decimal")
SELECT change."id", coalesce(change."a Int64", 0), coalesce(change."a Int32", 0), coalesce(change."a Int16", 0), coalesce(change."a Double", 0), coalesce(change."a Single", 0), coalesce(change."a Decimal", 0)
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a Int64" bigint '$[1]', "a Int32" int '$[2]', "a Int16" smallint '$[3]', "a Double" float '$[4]', "a Single" real '$[5]', "a Decimal" decimal(37, 18) '$[6]') AS change
WHERE NOT EXISTS (SELECT 1
    FROM "app"."Add" AS existing WITH (UPDLOCK, HOLDLOCK)
    WHERE existing."id" = change."id") OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); IF @updated + @@ROWCOUNT < (SELECT COUNT_BIG(*)
        FROM OPENJSON(@rows)) THROW 50001, N'Two rows of a call have different keys that the table takes for one, because of its collation or the precision of its times. Give the key column a binary collation, such as Latin1_General_100_BIN2, or call Cast.', 1;

-- MergeTable, Add: delete
DELETE existing
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]') AS change
JOIN "app"."Add" AS existing ON existing."id" = change."id" OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- MergeTable, Max: upsert
SET XACT_ABORT ON; UPDATE existing SET "a Int64" = CASE WHEN existing."a Int64" IS NULL OR change."a Int64" > existing."a Int64" THEN change."a Int64" ELSE existing."a Int64" END, "a Int32" = CASE WHEN existing."a Int32" IS NULL OR change."a Int32" > existing."a Int32" THEN change."a Int32" ELSE existing."a Int32" END, "a Int16" = CASE WHEN existing."a Int16" IS NULL OR change."a Int16" > existing."a Int16" THEN change."a Int16" ELSE existing."a Int16" END, "a Double" = CASE WHEN existing."a Double" IS NULL OR change."a Double" > existing."a Double" THEN change."a Double" ELSE existing."a Double" END, "a Single" = CASE WHEN existing."a Single" IS NULL OR change."a Single" > existing."a Single" THEN change."a Single" ELSE existing."a Single" END, "a Decimal" = CASE WHEN existing."a Decimal" IS NULL OR change."a Decimal" > existing."a Decimal" THEN change."a Decimal" ELSE existing."a Decimal" END, "a DateTime" = CASE WHEN existing."a DateTime" IS NULL OR change."a DateTime" > existing."a DateTime" THEN change."a DateTime" ELSE existing."a DateTime" END, "a DateTimeOffset" = CASE WHEN existing."a DateTimeOffset" IS NULL OR change."a DateTimeOffset" > existing."a DateTimeOffset" THEN change."a DateTimeOffset" ELSE existing."a DateTimeOffset" END
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a Int64" bigint '$[1]', "a Int32" int '$[2]', "a Int16" smallint '$[3]', "a Double" float '$[4]', "a Single" real '$[5]', "a Decimal" decimal(37, 18) '$[6]', "a DateTime" datetime2 '$[7]', "a DateTimeOffset" datetimeoffset '$[8]') AS change
JOIN "app"."Max" AS existing WITH (UPDLOCK, HOLDLOCK) ON existing."id" = change."id" OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); DECLARE @updated int = @@ROWCOUNT; INSERT INTO "app"."Max" ("id", "a Int64", "a Int32", "a Int16", "a Double", "a Single", "a Decimal", "a DateTime", "a DateTimeOffset")
SELECT change."id", change."a Int64", change."a Int32", change."a Int16", change."a Double", change."a Single", change."a Decimal", change."a DateTime", change."a DateTimeOffset"
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a Int64" bigint '$[1]', "a Int32" int '$[2]', "a Int16" smallint '$[3]', "a Double" float '$[4]', "a Single" real '$[5]', "a Decimal" decimal(37, 18) '$[6]', "a DateTime" datetime2 '$[7]', "a DateTimeOffset" datetimeoffset '$[8]') AS change
WHERE NOT EXISTS (SELECT 1
    FROM "app"."Max" AS existing WITH (UPDLOCK, HOLDLOCK)
    WHERE existing."id" = change."id") OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); IF @updated + @@ROWCOUNT < (SELECT COUNT_BIG(*)
        FROM OPENJSON(@rows)) THROW 50001, N'Two rows of a call have different keys that the table takes for one, because of its collation or the precision of its times. Give the key column a binary collation, such as Latin1_General_100_BIN2, or call Cast.', 1;

-- MergeTable, Max: delete
DELETE existing
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]') AS change
JOIN "app"."Max" AS existing ON existing."id" = change."id" OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- MergeTable, Min: upsert
SET XACT_ABORT ON; UPDATE existing SET "a Int64" = CASE WHEN existing."a Int64" IS NULL OR change."a Int64" < existing."a Int64" THEN change."a Int64" ELSE existing."a Int64" END, "a Int32" = CASE WHEN existing."a Int32" IS NULL OR change."a Int32" < existing."a Int32" THEN change."a Int32" ELSE existing."a Int32" END, "a Int16" = CASE WHEN existing."a Int16" IS NULL OR change."a Int16" < existing."a Int16" THEN change."a Int16" ELSE existing."a Int16" END, "a Double" = CASE WHEN existing."a Double" IS NULL OR change."a Double" < existing."a Double" THEN change."a Double" ELSE existing."a Double" END, "a Single" = CASE WHEN existing."a Single" IS NULL OR change."a Single" < existing."a Single" THEN change."a Single" ELSE existing."a Single" END, "a Decimal" = CASE WHEN existing."a Decimal" IS NULL OR change."a Decimal" < existing."a Decimal" THEN change."a Decimal" ELSE existing."a Decimal" END, "a DateTime" = CASE WHEN existing."a DateTime" IS NULL OR change."a DateTime" < existing."a DateTime" THEN change."a DateTime" ELSE existing."a DateTime" END, "a DateTimeOffset" = CASE WHEN existing."a DateTimeOffset" IS NULL OR change."a DateTimeOffset" < existing."a DateTimeOffset" THEN change."a DateTimeOffset" ELSE existing."a DateTimeOffset" END
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a Int64" bigint '$[1]', "a Int32" int '$[2]', "a Int16" smallint '$[3]', "a Double" float '$[4]', "a Single" real '$[5]', "a Decimal" decimal(37, 18) '$[6]', "a DateTime" datetime2 '$[7]', "a DateTimeOffset" datetimeoffset '$[8]') AS change
JOIN "app"."Min" AS existing WITH (UPDLOCK, HOLDLOCK) ON existing."id" = change."id" OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); DECLARE @updated int = @@ROWCOUNT; INSERT INTO "app"."Min" ("id", "a Int64", "a Int32", "a Int16", "a Double", "a Single", "a Decimal", "a DateTime", "a DateTimeOffset")
SELECT change."id", change."a Int64", change."a Int32", change."a Int16", change."a Double", change."a Single", change."a Decimal", change."a DateTime", change."a DateTimeOffset"
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]', "a Int64" bigint '$[1]', "a Int32" int '$[2]', "a Int16" smallint '$[3]', "a Double" float '$[4]', "a Single" real '$[5]', "a Decimal" decimal(37, 18) '$[6]', "a DateTime" datetime2 '$[7]', "a DateTimeOffset" datetimeoffset '$[8]') AS change
WHERE NOT EXISTS (SELECT 1
    FROM "app"."Min" AS existing WITH (UPDLOCK, HOLDLOCK)
    WHERE existing."id" = change."id") OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); IF @updated + @@ROWCOUNT < (SELECT COUNT_BIG(*)
        FROM OPENJSON(@rows)) THROW 50001, N'Two rows of a call have different keys that the table takes for one, because of its collation or the precision of its times. Give the key column a binary collation, such as Latin1_General_100_BIN2, or call Cast.', 1;

-- MergeTable, Min: delete
DELETE existing
FROM OPENJSON(@rows) WITH ("id" bigint '$[0]') AS change
JOIN "app"."Min" AS existing ON existing."id" = change."id" OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- MergeTable, only keys: upsert
SET XACT_ABORT ON; INSERT INTO "app"."only keys" ("id", "part")
SELECT CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id")), change."part"
FROM OPENJSON(@rows) WITH ("id" nvarchar(4000) '$[0]', "part" bigint '$[1]') AS change
WHERE NOT EXISTS (SELECT 1
    FROM "app"."only keys" AS existing WITH (UPDLOCK, HOLDLOCK)
    WHERE existing."id" = CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id"))
        AND DATALENGTH(existing."id") = DATALENGTH(CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id")))
        AND existing."part" = change."part") OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- MergeTable, only keys: delete
DELETE existing
FROM OPENJSON(@rows) WITH ("id" nvarchar(4000) '$[0]', "part" bigint '$[1]') AS change
JOIN "app"."only keys" AS existing ON existing."id" = CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id"))
    AND DATALENGTH(existing."id") = DATALENGTH(CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id")))
    AND existing."part" = change."part" OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- MergeTable, types of the user: upsert
SET XACT_ABORT ON; UPDATE existing SET "price" = coalesce(existing."price", 0) + coalesce(CONVERT(decimal(28, 28), change."price"), 0), "note" = coalesce(CONVERT(varchar(max), CONVERT(nvarchar(max), CONVERT(varbinary(max), change."note"))), existing."note"), "day" = CASE WHEN existing."day" IS NULL OR CONVERT(date, change."day") > existing."day" THEN CONVERT(date, change."day") ELSE existing."day" END
FROM OPENJSON(@rows) WITH ("id" nvarchar(4000) '$[0]', "price" nvarchar(4000) '$[1]', "note" nvarchar(max) '$[2]', "day" datetime2 '$[3]') AS change
JOIN "app"."types of the user" AS existing WITH (UPDLOCK, HOLDLOCK) ON existing."id" = CONVERT(varchar(50), CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id")))
    AND DATALENGTH(existing."id") = DATALENGTH(CONVERT(varchar(50), CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id")))) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); DECLARE @updated int = @@ROWCOUNT; INSERT INTO "app"."types of the user" ("id", "price", "note", "day")
SELECT CONVERT(varchar(50), CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id"))), coalesce(CONVERT(decimal(28, 28), change."price"), 0), CONVERT(varchar(max), CONVERT(nvarchar(max), CONVERT(varbinary(max), change."note"))), CONVERT(date, change."day")
FROM OPENJSON(@rows) WITH ("id" nvarchar(4000) '$[0]', "price" nvarchar(4000) '$[1]', "note" nvarchar(max) '$[2]', "day" datetime2 '$[3]') AS change
WHERE NOT EXISTS (SELECT 1
    FROM "app"."types of the user" AS existing WITH (UPDLOCK, HOLDLOCK)
    WHERE existing."id" = CONVERT(varchar(50), CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id")))
        AND DATALENGTH(existing."id") = DATALENGTH(CONVERT(varchar(50), CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id"))))) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); IF @updated + @@ROWCOUNT < (SELECT COUNT_BIG(*)
            FROM OPENJSON(@rows)) THROW 50001, N'Two rows of a call have different keys that the table takes for one, because of its collation or the precision of its times. Give the key column a binary collation, such as Latin1_General_100_BIN2, or call Cast.', 1;

-- MergeTable, types of the user: delete
DELETE existing
FROM OPENJSON(@rows) WITH ("id" nvarchar(4000) '$[0]') AS change
JOIN "app"."types of the user" AS existing ON existing."id" = CONVERT(varchar(50), CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id")))
    AND DATALENGTH(existing."id") = DATALENGTH(CONVERT(varchar(50), CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."id")))) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- MergeTable, odd "names" ]: upsert
SET XACT_ABORT ON; UPDATE existing SET "excluded" = coalesce(existing."excluded", 0) + coalesce(change."excluded", 0), "order" = CASE WHEN existing."order" IS NULL OR change."order" > existing."order" THEN change."order" ELSE existing."order" END
FROM OPENJSON(@rows) WITH ("a"" ] ; --" nvarchar(4000) '$[0]', "excluded" bigint '$[1]', "order" bigint '$[2]') AS change
JOIN "app"."odd ""names"" ]" AS existing WITH (UPDLOCK, HOLDLOCK) ON existing."a"" ] ; --" = CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a"" ] ; --"))
    AND DATALENGTH(existing."a"" ] ; --") = DATALENGTH(CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a"" ] ; --"))) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); DECLARE @updated int = @@ROWCOUNT; INSERT INTO "app"."odd ""names"" ]" ("a"" ] ; --", "excluded", "order")
SELECT CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a"" ] ; --")), coalesce(change."excluded", 0), change."order"
FROM OPENJSON(@rows) WITH ("a"" ] ; --" nvarchar(4000) '$[0]', "excluded" bigint '$[1]', "order" bigint '$[2]') AS change
WHERE NOT EXISTS (SELECT 1
    FROM "app"."odd ""names"" ]" AS existing WITH (UPDLOCK, HOLDLOCK)
    WHERE existing."a"" ] ; --" = CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a"" ] ; --"))
        AND DATALENGTH(existing."a"" ] ; --") = DATALENGTH(CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a"" ] ; --")))) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); IF @updated + @@ROWCOUNT < (SELECT COUNT_BIG(*)
            FROM OPENJSON(@rows)) THROW 50001, N'Two rows of a call have different keys that the table takes for one, because of its collation or the precision of its times. Give the key column a binary collation, such as Latin1_General_100_BIN2, or call Cast.', 1;

-- MergeTable, odd "names" ]: delete
DELETE existing
FROM OPENJSON(@rows) WITH ("a"" ] ; --" nvarchar(4000) '$[0]') AS change
JOIN "app"."odd ""names"" ]" AS existing ON existing."a"" ] ; --" = CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a"" ] ; --"))
    AND DATALENGTH(existing."a"" ] ; --") = DATALENGTH(CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."a"" ] ; --"))) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- EntityTable, 1
IF OBJECT_ID(N'"entities"', N'U') IS NULL CREATE TABLE "entities" ("persistence_id" nvarchar(450) COLLATE Latin1_General_100_BIN2 NOT NULL, "sequence_number" bigint, "state" nvarchar(max), "length" int, "day" datetimeoffset, PRIMARY KEY ("persistence_id")); DELETE
FROM "entities"
WHERE persistence_id IS NOT NULL
    AND sequence_number >= 0
    AND ("entities"."state" IS NULL OR "entities"."state" IS NOT NULL);

-- EntityTable, 2
SELECT t.persistence_id, t.sequence_number, t."state"
FROM (SELECT r.id COLLATE Latin1_General_100_BIN2 AS id
    FROM OPENJSON(@rows) WITH (id nvarchar(4000) '$[0]') AS r) AS r
JOIN "entities" AS t ON t.persistence_id = r.id
    AND DATALENGTH(t.persistence_id) = DATALENGTH(r.id) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- EntityTable, 3
SET XACT_ABORT ON; UPDATE existing SET "sequence_number" = change."sequence_number", "state" = change."state", "length" = change."length", "day" = change."day"
FROM OPENJSON(@rows) WITH ("persistence_id" nvarchar(4000) '$[0]', "sequence_number" bigint '$[1]', "state" nvarchar(max) '$[2]', "length" int '$[3]', "day" datetimeoffset '$[4]') AS change
JOIN "entities" AS existing WITH (UPDLOCK, HOLDLOCK) ON existing."persistence_id" = CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."persistence_id"))
    AND DATALENGTH(existing."persistence_id") = DATALENGTH(CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."persistence_id"))) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); DECLARE @updated int = @@ROWCOUNT; INSERT INTO "entities" ("persistence_id", "sequence_number", "state", "length", "day")
SELECT CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."persistence_id")), change."sequence_number", change."state", change."length", change."day"
FROM OPENJSON(@rows) WITH ("persistence_id" nvarchar(4000) '$[0]', "sequence_number" bigint '$[1]', "state" nvarchar(max) '$[2]', "length" int '$[3]', "day" datetimeoffset '$[4]') AS change
WHERE NOT EXISTS (SELECT 1
    FROM "entities" AS existing WITH (UPDLOCK, HOLDLOCK)
    WHERE existing."persistence_id" = CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."persistence_id"))
        AND DATALENGTH(existing."persistence_id") = DATALENGTH(CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."persistence_id")))) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); IF @updated + @@ROWCOUNT < (SELECT COUNT_BIG(*)
            FROM OPENJSON(@rows)) THROW 50001, N'Two rows of a call have different keys that the table takes for one, because of its collation or the precision of its times. Give the key column a binary collation, such as Latin1_General_100_BIN2, or call Cast.', 1;

-- EntityTable, 4
DROP TABLE IF EXISTS "entities";

-- EntityTable of columns, 1
IF OBJECT_ID(N'"columns"', N'U') IS NULL CREATE TABLE "columns" ("persistence_id" nvarchar(450) COLLATE Latin1_General_100_BIN2 NOT NULL, "sequence_number" bigint, "length" int, "price" decimal(37, 18), "text" nvarchar(max), PRIMARY KEY ("persistence_id")); DELETE
FROM "columns"
WHERE persistence_id IS NOT NULL
    AND sequence_number >= 0
    AND ("columns"."price" IS NULL OR "columns"."price" IS NOT NULL)
    AND ("columns"."text" IS NULL OR "columns"."text" IS NOT NULL);

-- EntityTable of columns, 2
SELECT t.persistence_id, t.sequence_number, CONVERT(nvarchar(50), t."price"), t."text"
FROM (SELECT r.id COLLATE Latin1_General_100_BIN2 AS id
    FROM OPENJSON(@rows) WITH (id nvarchar(4000) '$[0]') AS r) AS r
JOIN "columns" AS t ON t.persistence_id = r.id
    AND DATALENGTH(t.persistence_id) = DATALENGTH(r.id) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);

-- EntityTable of columns, 3
SET XACT_ABORT ON; UPDATE existing SET "sequence_number" = change."sequence_number", "length" = change."length", "price" = change."price", "text" = change."text"
FROM OPENJSON(@rows) WITH ("persistence_id" nvarchar(4000) '$[0]', "sequence_number" bigint '$[1]', "length" int '$[2]', "price" decimal(37, 18) '$[3]', "text" nvarchar(max) '$[4]') AS change
JOIN "columns" AS existing WITH (UPDLOCK, HOLDLOCK) ON existing."persistence_id" = CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."persistence_id"))
    AND DATALENGTH(existing."persistence_id") = DATALENGTH(CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."persistence_id"))) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); DECLARE @updated int = @@ROWCOUNT; INSERT INTO "columns" ("persistence_id", "sequence_number", "length", "price", "text")
SELECT CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."persistence_id")), change."sequence_number", change."length", change."price", change."text"
FROM OPENJSON(@rows) WITH ("persistence_id" nvarchar(4000) '$[0]', "sequence_number" bigint '$[1]', "length" int '$[2]', "price" decimal(37, 18) '$[3]', "text" nvarchar(max) '$[4]') AS change
WHERE NOT EXISTS (SELECT 1
    FROM "columns" AS existing WITH (UPDLOCK, HOLDLOCK)
    WHERE existing."persistence_id" = CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."persistence_id"))
        AND DATALENGTH(existing."persistence_id") = DATALENGTH(CONVERT(nvarchar(4000), CONVERT(varbinary(8000), change."persistence_id")))) OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1); IF @updated + @@ROWCOUNT < (SELECT COUNT_BIG(*)
            FROM OPENJSON(@rows)) THROW 50001, N'Two rows of a call have different keys that the table takes for one, because of its collation or the precision of its times. Give the key column a binary collation, such as Latin1_General_100_BIN2, or call Cast.', 1;

-- EntityTable of columns, 4
DROP TABLE IF EXISTS "columns";
