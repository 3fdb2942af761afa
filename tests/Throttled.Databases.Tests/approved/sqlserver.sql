-- What Throttled runs on SQL Server, laid out in lines. Written by a test; accepted with THROTTLED_ACCEPT_SQL=1.


-- == whatever the tables ==

-- SqlServerCatalogSql.ColumnText
SELECT TYPE_NAME(c.system_type_id), c.collation_name
FROM sys.columns AS c
WHERE c.object_id = OBJECT_ID(@p1)
    AND c.name = @p2;

-- SqlServerCatalogSql.Facts
SELECT @@MAX_CONNECTIONS, CONVERT(NVARCHAR(60), DATABASEPROPERTYEX(DB_NAME(), N'Updateability')), CONVERT(INT, OBJECTPROPERTY(OBJECT_ID(@p1), N'IsUserTable')), CONVERT(INT, OBJECTPROPERTY(OBJECT_ID(@p1), N'TableIsMemoryOptimized')), CONVERT(INT, COLUMNPROPERTY(OBJECT_ID(@p1), @p2, N'IsIdentity')), CONVERT(BIGINT, IDENT_INCR(@p1)), CONVERT(INT, (SELECT d.compatibility_level
    FROM sys.databases AS d
    WHERE d.name = DB_NAME())), SUSER_SNAME(), CONVERT(INT, (SELECT d.is_read_committed_snapshot_on
        FROM sys.databases AS d
        WHERE d.name = DB_NAME()));

-- SqlServerCatalogSql.HasJson
SELECT TOP (0) j.[key]
FROM OPENJSON(N'[]') AS j;

-- SqlServerCatalogSql.IsThere
SELECT CASE WHEN OBJECT_ID(@p1) IS NULL THEN 0 ELSE 1 END;

-- SqlServerCatalogSql.LacksIndex
SELECT CASE WHEN EXISTS (SELECT 1
    FROM sys.indexes AS x
    WHERE x.object_id = o.object_id
        AND x.type IN (1, 2)
        AND x.is_disabled = 0
        AND x.has_filter = 0
        AND EXISTS (SELECT 1
            FROM sys.index_columns AS k
            WHERE k.object_id = x.object_id
                AND k.index_id = x.index_id
                AND k.key_ordinal = 1
                AND COL_NAME(k.object_id, k.column_id) = @p2)
        AND (EXISTS (SELECT 1
            FROM sys.index_columns AS k
            WHERE k.object_id = x.object_id
                AND k.index_id = x.index_id
                AND k.key_ordinal = 2
                AND COL_NAME(k.object_id, k.column_id) = @p3) OR (NOT EXISTS (SELECT 1
                    FROM sys.index_columns AS k
                    WHERE k.object_id = x.object_id
                        AND k.index_id = x.index_id
                        AND k.key_ordinal = 2) AND EXISTS (SELECT 1
                            FROM sys.indexes AS c
                            JOIN sys.index_columns AS k ON k.object_id = c.object_id
                                AND k.index_id = c.index_id
                            WHERE c.object_id = o.object_id
                                AND c.type = 1
                                AND k.key_ordinal = 1
                                AND COL_NAME(k.object_id, k.column_id) = @p3)))) THEN 0 ELSE 1 END
FROM sys.objects AS o
WHERE o.object_id = OBJECT_ID(@p1)
    AND o.type = 'U';

-- SqlServerCatalogSql.LastIssued
SELECT CASE WHEN CONVERT(NVARCHAR(60), DATABASEPROPERTYEX(DB_NAME(), N'Updateability')) = N'READ_WRITE' THEN CONVERT(BIGINT, ISNULL(i.last_value, 0)) END
FROM sys.identity_columns AS i
WHERE i.object_id = OBJECT_ID(@p1)
    AND i.name = @p2;

-- SqlServerCatalogSql.Names
SELECT CONVERT(NVARCHAR(11), s.session_id) + N'/' + CONVERT(NVARCHAR(40), s.login_time, 126), (SELECT CONVERT(NVARCHAR(128), SERVERPROPERTY(N'ServerName')) + N'/' + CONVERT(NVARCHAR(40), d.create_date, 126)
    FROM sys.databases AS d
    WHERE d.name = N'tempdb')
FROM sys.dm_exec_sessions AS s
WHERE s.session_id = @@SPID;

-- SqlServerCatalogSql.Oldest
SELECT TOP (1) DATEDIFF_BIG(SECOND, t.transaction_begin_time, GETDATE()), s.login_name, s.session_id, s.program_name, s.status, LEFT(q.text, 101)
FROM sys.dm_tran_active_transactions AS t
LEFT JOIN sys.dm_tran_session_transactions AS x ON x.transaction_id = t.transaction_id
LEFT JOIN sys.dm_exec_sessions AS s ON s.session_id = x.session_id
LEFT JOIN sys.dm_exec_connections AS c ON c.session_id = s.session_id
    AND c.parent_connection_id IS NULL
OUTER APPLY sys.dm_exec_sql_text(c.most_recent_sql_handle) AS q
WHERE t.transaction_id IN (SELECT h.n
    FROM OPENJSON(@p1) WITH (n BIGINT '$') AS h)
ORDER BY t.transaction_begin_time;

-- SqlServerCatalogSql.OpenTransactions
SELECT DISTINCT l.request_owner_id
FROM sys.dm_tran_locks AS l
WHERE l.resource_type = N'OBJECT'
    AND l.resource_database_id = DB_ID()
    AND l.resource_associated_entity_id = OBJECT_ID(@p1)
    AND l.request_mode IN (N'IX', N'SIX', N'UIX', N'X', N'BU');

-- SqlServerCatalogSql.Settings
SET NOCOUNT ON; SET IMPLICIT_TRANSACTIONS OFF; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET DEADLOCK_PRIORITY LOW; SET LOCK_TIMEOUT -1;

-- SqlServerCatalogSql.StillRunning
SELECT CONVERT(NVARCHAR(11), s.session_id) + N'/' + CONVERT(NVARCHAR(40), s.login_time, 126)
FROM sys.dm_exec_sessions AS s
WHERE CONVERT(NVARCHAR(11), s.session_id) + N'/' + CONVERT(NVARCHAR(40), s.login_time, 126) IN (SELECT j.value
    FROM OPENJSON(@p1) AS j)
    AND EXISTS (SELECT 1
        FROM sys.dm_exec_requests AS r
        WHERE r.session_id = s.session_id);

-- SqlServerSchema.TakeTurns
DECLARE @turn INT;
EXEC @turn = sp_getapplock @Resource = N'throttled', @LockMode = N'Exclusive', @LockOwner = N'Transaction';
IF @turn < 0 RAISERROR(N'sp_getapplock returned %d for the lock ''throttled'', which who creates tables must have; try again.', 16, 1, @turn);

-- SqlServerStaging.Create
CREATE TABLE #throttled_events (
    n BIGINT NOT NULL PRIMARY KEY CLUSTERED,
    persistence_id NVARCHAR(MAX) COLLATE DATABASE_DEFAULT NOT NULL,
    sequence_number BIGINT NOT NULL,
    created BIGINT NOT NULL,
    payload VARBINARY(MAX) NOT NULL,
    serializer_id INTEGER NULL,
    manifest NVARCHAR(MAX) COLLATE DATABASE_DEFAULT NOT NULL,
    tags NVARCHAR(MAX) COLLATE DATABASE_DEFAULT NULL);
CREATE TABLE #throttled_tags (n BIGINT NOT NULL, tag NVARCHAR(MAX) COLLATE DATABASE_DEFAULT NOT NULL);
CREATE CLUSTERED INDEX n ON #throttled_tags (n);

-- SqlServerStaging.IsIdentity
SELECT is_identity
FROM sys.columns
WHERE object_id = OBJECT_ID(@p1)
    AND name = @p2;


-- == default layout, tag table ==

-- SqlServerJournalSql.CreateTagIndex
CREATE INDEX [tags_tag_ordering_idx] ON [tags] ([tag], [ordering_id]);

-- SqlServerJournalSql.FirstIds
WITH ids (id) AS (SELECT s.id
    FROM (SELECT TOP (1) [persistence_id] AS id
        FROM [journal] AS journal_row
        ORDER BY [persistence_id]) AS s
    UNION ALL
    SELECT n.id
    FROM (SELECT journal_row.[persistence_id] AS id, ROW_NUMBER() OVER (ORDER BY journal_row.[persistence_id]) AS place
        FROM ids AS i
        JOIN [journal] AS journal_row ON journal_row.[persistence_id] > i.id) AS n
    WHERE n.place = 1)
SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END
FROM (SELECT TOP (@p1) i.id
    FROM ids AS i) AS i
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number]) AS f
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number] DESC) AS l
OUTER APPLY (SELECT TOP (1) 1 AS one
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
        AND [deleted] = 0
    ORDER BY [sequence_number] DESC) AS h
ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1);

-- SqlServerJournalSql.FirstTagged
SELECT MIN([ordering_id])
FROM [tags] AS tag_row;

-- SqlServerJournalSql.FromEnd
SELECT [ordering], [deleted], [persistence_id]
FROM [journal] AS journal_row
WHERE [ordering] < @p1
ORDER BY [ordering] DESC
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.FromEndByTable
SELECT t.o, e.*, t.w
FROM (SELECT TOP (@p3) [ordering_id] AS o, [tag] AS w
    FROM [tags] AS tag_row
    WHERE [tag] = @p2
        AND [ordering_id] < @p1
    ORDER BY [ordering_id] DESC) AS t
OUTER APPLY (SELECT [deleted], [persistence_id]
    FROM [journal] AS journal_row
    WHERE [ordering] = t.o) AS e
ORDER BY t.o DESC OPTION (MAXDOP 1);

-- SqlServerJournalSql.Ids
WITH ids (id) AS (SELECT s.id
    FROM (SELECT TOP (1) [persistence_id] AS id
        FROM [journal] AS journal_row
        WHERE [persistence_id] > @p1
        ORDER BY [persistence_id]) AS s
    UNION ALL
    SELECT n.id
    FROM (SELECT journal_row.[persistence_id] AS id, ROW_NUMBER() OVER (ORDER BY journal_row.[persistence_id]) AS place
        FROM ids AS i
        JOIN [journal] AS journal_row ON journal_row.[persistence_id] > i.id) AS n
    WHERE n.place = 1)
SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END
FROM (SELECT TOP (@p2) i.id
    FROM ids AS i) AS i
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number]) AS f
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number] DESC) AS l
OUTER APPLY (SELECT TOP (1) 1 AS one
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
        AND [deleted] = 0
    ORDER BY [sequence_number] DESC) AS h
ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1);

-- SqlServerJournalSql.JournalColumns
SELECT TOP (0) [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [journal] AS journal_row;

-- SqlServerJournalSql.JournalTable
[journal];

-- SqlServerJournalSql.Keys.From
SELECT [ordering], [persistence_id], [sequence_number]
FROM [journal] AS journal_row
WHERE [ordering] >= @p1
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Keys.InGaps
SELECT TOP (@p2) e.*
FROM OPENJSON(@p1) WITH (f BIGINT '$[0]', t BIGINT '$[1]') AS r
CROSS APPLY (SELECT TOP (@p2) [ordering], [persistence_id], [sequence_number]
    FROM [journal] AS journal_row
    WHERE [ordering] >= r.f
        AND [ordering] <= r.t
    ORDER BY [ordering]) AS e
ORDER BY e.[ordering] OPTION (MAXDOP 1);

-- SqlServerJournalSql.LastKey
SELECT [ordering], [persistence_id], [sequence_number]
FROM [journal] AS journal_row
ORDER BY [ordering] DESC
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- SqlServerJournalSql.Ordered
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [journal] AS journal_row
WHERE [ordering] > @p1
    AND [ordering] <= @p2
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByColumn
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [journal] AS journal_row
WHERE [ordering] > @p1
    AND [ordering] <= @p2
    AND [tags] <> N''
    AND EXISTS (SELECT 1
        FROM OPENJSON(@p3) WITH (tag NVARCHAR(4000) '$') AS w
        WHERE CHARINDEX(w.tag COLLATE Latin1_General_BIN2, [tags] COLLATE Latin1_General_BIN2) > 0)
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT TOP (@p4) [ordering_id] AS o
    FROM [tags] AS tag_row
    WHERE [tag] = @p3
        AND [ordering_id] > @p1
        AND [ordering_id] <= @p2
    ORDER BY [ordering_id]) AS t
OUTER APPLY (SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
    FROM [journal] AS journal_row
    WHERE [ordering] = t.o) AS e
ORDER BY t.o OPTION (MAXDOP 1);

-- SqlServerJournalSql.Page
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [journal] AS journal_row
WHERE [persistence_id] = @p1
    AND [sequence_number] >= @p2
    AND [sequence_number] <= @p3
ORDER BY [sequence_number]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Pages
SELECT k.member, k.number, e.*
FROM (SELECT TOP (@p2) r.member, x.number, x.place
    FROM OPENJSON(@p1) WITH (member INT '$[0]', id NVARCHAR(4000) '$[1]', f BIGINT '$[2]', t BIGINT '$[3]', most INT '$[4]') AS r
    CROSS APPLY (SELECT TOP (r.most) [sequence_number] AS number, [ordering] AS place
        FROM [journal] AS journal_row
        WHERE [persistence_id] = r.id
            AND [sequence_number] >= r.f
            AND [sequence_number] <= r.t
        ORDER BY [sequence_number]) AS x
    ORDER BY r.member, x.number) AS k
OUTER APPLY (SELECT TOP (1) [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
    FROM [journal] AS journal_row
    WHERE [ordering] = k.place) AS e
ORDER BY k.member, k.number OPTION (MAXDOP 1);

-- SqlServerJournalSql.Rows
SELECT e.*
FROM OPENJSON(@p1) WITH (n BIGINT '$') AS r
CROSS APPLY (SELECT TOP (1) [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
    FROM [journal] AS journal_row
    WHERE [ordering] = r.n) AS e OPTION (MAXDOP 1);

-- SqlServerJournalSql.RowsFrom
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [journal] AS journal_row
WHERE [ordering] >= @p1
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.TagColumns
SELECT TOP (0) [tag], [ordering_id]
FROM [tags] AS tag_row;

-- SqlServerJournalSql.TagTable
[tags];

-- SqlServerJournalSql.TaggedKeys.From
SELECT [ordering], [persistence_id], [sequence_number], [tags]
FROM [journal] AS journal_row
WHERE [ordering] >= @p1
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.TaggedKeys.InGaps
SELECT TOP (@p2) e.*
FROM OPENJSON(@p1) WITH (f BIGINT '$[0]', t BIGINT '$[1]') AS r
CROSS APPLY (SELECT TOP (@p2) [ordering], [persistence_id], [sequence_number], [tags]
    FROM [journal] AS journal_row
    WHERE [ordering] >= r.f
        AND [ordering] <= r.t
    ORDER BY [ordering]) AS e
ORDER BY e.[ordering] OPTION (MAXDOP 1);

-- SqlServerJournalSql.Tags
SELECT e.*
FROM OPENJSON(@p1) WITH (n BIGINT '$') AS r
CROSS APPLY (SELECT TOP (2147483647) [ordering_id], [tag]
    FROM [tags] AS tag_row
    WHERE [ordering_id] = r.n) AS e OPTION (MAXDOP 1);

-- SqlServerJournalSql.TagsBetween
SELECT [ordering_id], [tag]
FROM [tags] AS tag_row
WHERE [ordering_id] >= @p1
    AND [ordering_id] <= @p2
ORDER BY [ordering_id] OPTION (MAXDOP 1);

-- ShardMarkSql.AnyEvent
SELECT 1
FROM [journal] AS journal_row
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- ShardMarkSql.Create
IF OBJECT_ID(N'[throttled_shards]', N'U') IS NULL CREATE TABLE [throttled_shards] (journal_table NVARCHAR(255) NOT NULL PRIMARY KEY, shard INTEGER NOT NULL, slices NVARCHAR(MAX) NOT NULL);

-- ShardMarkSql.Journal
[journal];

-- ShardMarkSql.Read
SELECT shard, slices
FROM [throttled_shards]
WHERE journal_table = @p1;

-- ShardMarkSql.Table
[throttled_shards];

-- ShardMarkSql.Write
INSERT INTO [throttled_shards] (journal_table, shard, slices)
VALUES (@p1, @p2, @p3);

-- SqlServerSchema.Create, 1
DECLARE @turn INT;
EXEC @turn = sp_getapplock @Resource = N'throttled', @LockMode = N'Exclusive', @LockOwner = N'Transaction';
IF @turn < 0 RAISERROR(N'sp_getapplock returned %d for the lock ''throttled'', which who creates tables must have; try again.', 16, 1, @turn);

-- SqlServerSchema.Create, 2
IF OBJECT_ID(N'[journal]', N'U') IS NULL CREATE TABLE [journal] (
    [ordering] BIGINT IDENTITY(1,1) NOT NULL PRIMARY KEY CLUSTERED,
    [deleted] BIT NOT NULL,
    [persistence_id] NVARCHAR(255) NOT NULL,
    [sequence_number] BIGINT NOT NULL,
    [created] BIGINT NOT NULL,
    [message] VARBINARY(MAX) NOT NULL,
    [identifier] INTEGER NULL,
    [manifest] NVARCHAR(500) NULL,
    [writer_uuid] NVARCHAR(128) NULL, UNIQUE ([persistence_id], [sequence_number]));

-- SqlServerSchema.Create, 3
IF OBJECT_ID(N'[tags]', N'U') IS NULL CREATE TABLE [tags] (
    [ordering_id] BIGINT NOT NULL,
    [tag] NVARCHAR(64) NOT NULL,
    [sequence_nr] BIGINT NOT NULL,
    [persistence_id] NVARCHAR(255) NOT NULL,
    PRIMARY KEY ([ordering_id], [tag]));

-- SqlServerSchema.Create, 4
IF NOT EXISTS (SELECT *
    FROM sys.index_columns AS t
    JOIN sys.index_columns AS o ON o.object_id = t.object_id
        AND o.index_id = t.index_id
    WHERE t.object_id = OBJECT_ID(N'[tags]')
        AND t.key_ordinal = 1
        AND COL_NAME(t.object_id, t.column_id) = N'tag'
        AND o.key_ordinal = 2
        AND COL_NAME(o.object_id, o.column_id) = N'ordering_id') CREATE INDEX [tags_tag_ordering_idx] ON [tags] ([tag], [ordering_id]);

-- SqlServerStaging.MoveEvents
INSERT INTO [journal] ([deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest], [writer_uuid])
SELECT 0, e.persistence_id, e.sequence_number, e.created, e.payload, e.serializer_id, e.manifest, @p1
FROM #throttled_events AS e
ORDER BY e.n; TRUNCATE TABLE #throttled_events;

-- SqlServerStaging.MoveEventsAndTags
DECLARE @orderings TABLE (ordering BIGINT NOT NULL PRIMARY KEY);
INSERT INTO [journal] ([deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest], [writer_uuid]) OUTPUT inserted.[ordering] INTO @orderings (ordering) SELECT 0, e.persistence_id, e.sequence_number, e.created, e.payload, e.serializer_id, e.manifest, @p1 FROM #throttled_events AS e ORDER BY e.n;
INSERT INTO [tags] ([ordering_id], [tag], [sequence_nr], [persistence_id])
SELECT o.ordering, t.tag, e.sequence_number, e.persistence_id
FROM (SELECT ordering, ROW_NUMBER() OVER (ORDER BY ordering) AS n FROM @orderings) AS o
INNER MERGE JOIN #throttled_events AS e ON e.n = o.n
INNER MERGE JOIN #throttled_tags AS t ON t.n = o.n;
TRUNCATE TABLE #throttled_events;
TRUNCATE TABLE #throttled_tags;


-- == layout of Akka.Persistence.SqlServer, tags in a column ==

-- SqlServerJournalSql.CreateTagIndex
CREATE INDEX [tags_tag_ordering_idx] ON [dbo].[tags] ([tag], [ordering_id]);

-- SqlServerJournalSql.FirstIds
WITH ids (id) AS (SELECT s.id
    FROM (SELECT TOP (1) [PersistenceId] AS id
        FROM [dbo].[EventJournal] AS journal_row
        ORDER BY [PersistenceId]) AS s
    UNION ALL
    SELECT n.id
    FROM (SELECT journal_row.[PersistenceId] AS id, ROW_NUMBER() OVER (ORDER BY journal_row.[PersistenceId]) AS place
        FROM ids AS i
        JOIN [dbo].[EventJournal] AS journal_row ON journal_row.[PersistenceId] > i.id) AS n
    WHERE n.place = 1)
SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END
FROM (SELECT TOP (@p1) i.id
    FROM ids AS i) AS i
CROSS APPLY (SELECT TOP (1) [PersistenceId] AS id
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [PersistenceId] = i.id
    ORDER BY [SequenceNr]) AS f
CROSS APPLY (SELECT TOP (1) [PersistenceId] AS id
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [PersistenceId] = i.id
    ORDER BY [SequenceNr] DESC) AS l
OUTER APPLY (SELECT TOP (1) 1 AS one
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [PersistenceId] = i.id
        AND [IsDeleted] = 0
    ORDER BY [SequenceNr] DESC) AS h
ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1);

-- SqlServerJournalSql.FirstTagged
SELECT MIN([ordering_id])
FROM [dbo].[tags] AS tag_row;

-- SqlServerJournalSql.FromEnd
SELECT [Ordering], [IsDeleted], [PersistenceId], [Tags]
FROM [dbo].[EventJournal] AS journal_row
WHERE [Ordering] < @p1
ORDER BY [Ordering] DESC
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.FromEndByTable
SELECT t.o, e.*, t.w
FROM (SELECT TOP (@p3) [ordering_id] AS o, [tag] AS w
    FROM [dbo].[tags] AS tag_row
    WHERE [tag] = @p2
        AND [ordering_id] < @p1
    ORDER BY [ordering_id] DESC) AS t
OUTER APPLY (SELECT [IsDeleted], [PersistenceId]
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [Ordering] = t.o) AS e
ORDER BY t.o DESC OPTION (MAXDOP 1);

-- SqlServerJournalSql.Ids
WITH ids (id) AS (SELECT s.id
    FROM (SELECT TOP (1) [PersistenceId] AS id
        FROM [dbo].[EventJournal] AS journal_row
        WHERE [PersistenceId] > @p1
        ORDER BY [PersistenceId]) AS s
    UNION ALL
    SELECT n.id
    FROM (SELECT journal_row.[PersistenceId] AS id, ROW_NUMBER() OVER (ORDER BY journal_row.[PersistenceId]) AS place
        FROM ids AS i
        JOIN [dbo].[EventJournal] AS journal_row ON journal_row.[PersistenceId] > i.id) AS n
    WHERE n.place = 1)
SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END
FROM (SELECT TOP (@p2) i.id
    FROM ids AS i) AS i
CROSS APPLY (SELECT TOP (1) [PersistenceId] AS id
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [PersistenceId] = i.id
    ORDER BY [SequenceNr]) AS f
CROSS APPLY (SELECT TOP (1) [PersistenceId] AS id
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [PersistenceId] = i.id
    ORDER BY [SequenceNr] DESC) AS l
OUTER APPLY (SELECT TOP (1) 1 AS one
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [PersistenceId] = i.id
        AND [IsDeleted] = 0
    ORDER BY [SequenceNr] DESC) AS h
ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1);

-- SqlServerJournalSql.JournalColumns
SELECT TOP (0) [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest], [Tags]
FROM [dbo].[EventJournal] AS journal_row;

-- SqlServerJournalSql.JournalTable
[dbo].[EventJournal];

-- SqlServerJournalSql.Keys.From
SELECT [Ordering], [PersistenceId], [SequenceNr]
FROM [dbo].[EventJournal] AS journal_row
WHERE [Ordering] >= @p1
ORDER BY [Ordering]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Keys.InGaps
SELECT TOP (@p2) e.*
FROM OPENJSON(@p1) WITH (f BIGINT '$[0]', t BIGINT '$[1]') AS r
CROSS APPLY (SELECT TOP (@p2) [Ordering], [PersistenceId], [SequenceNr]
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [Ordering] >= r.f
        AND [Ordering] <= r.t
    ORDER BY [Ordering]) AS e
ORDER BY e.[Ordering] OPTION (MAXDOP 1);

-- SqlServerJournalSql.LastKey
SELECT [Ordering], [PersistenceId], [SequenceNr]
FROM [dbo].[EventJournal] AS journal_row
ORDER BY [Ordering] DESC
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- SqlServerJournalSql.Ordered
SELECT [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest], [Tags]
FROM [dbo].[EventJournal] AS journal_row
WHERE [Ordering] > @p1
    AND [Ordering] <= @p2
ORDER BY [Ordering]
OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByColumn
SELECT [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest], [Tags]
FROM [dbo].[EventJournal] AS journal_row
WHERE [Ordering] > @p1
    AND [Ordering] <= @p2
    AND [Tags] <> N''
    AND EXISTS (SELECT 1
        FROM OPENJSON(@p3) WITH (tag NVARCHAR(4000) '$') AS w
        WHERE CHARINDEX(w.tag COLLATE Latin1_General_BIN2, [Tags] COLLATE Latin1_General_BIN2) > 0)
ORDER BY [Ordering]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT TOP (@p4) [ordering_id] AS o
    FROM [dbo].[tags] AS tag_row
    WHERE [tag] = @p3
        AND [ordering_id] > @p1
        AND [ordering_id] <= @p2
    ORDER BY [ordering_id]) AS t
OUTER APPLY (SELECT [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest], [Tags]
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [Ordering] = t.o) AS e
ORDER BY t.o OPTION (MAXDOP 1);

-- SqlServerJournalSql.Page
SELECT [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest], [Tags]
FROM [dbo].[EventJournal] AS journal_row
WHERE [PersistenceId] = @p1
    AND [SequenceNr] >= @p2
    AND [SequenceNr] <= @p3
ORDER BY [SequenceNr]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Pages
SELECT k.member, k.number, e.*
FROM (SELECT TOP (@p2) r.member, x.number, x.place
    FROM OPENJSON(@p1) WITH (member INT '$[0]', id NVARCHAR(4000) '$[1]', f BIGINT '$[2]', t BIGINT '$[3]', most INT '$[4]') AS r
    CROSS APPLY (SELECT TOP (r.most) [SequenceNr] AS number, [Ordering] AS place
        FROM [dbo].[EventJournal] AS journal_row
        WHERE [PersistenceId] = r.id
            AND [SequenceNr] >= r.f
            AND [SequenceNr] <= r.t
        ORDER BY [SequenceNr]) AS x
    ORDER BY r.member, x.number) AS k
OUTER APPLY (SELECT TOP (1) [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest], [Tags]
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [Ordering] = k.place) AS e
ORDER BY k.member, k.number OPTION (MAXDOP 1);

-- SqlServerJournalSql.Rows
SELECT e.*
FROM OPENJSON(@p1) WITH (n BIGINT '$') AS r
CROSS APPLY (SELECT TOP (1) [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest], [Tags]
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [Ordering] = r.n) AS e OPTION (MAXDOP 1);

-- SqlServerJournalSql.RowsFrom
SELECT [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest], [Tags]
FROM [dbo].[EventJournal] AS journal_row
WHERE [Ordering] >= @p1
ORDER BY [Ordering]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.TagColumns
SELECT TOP (0) [tag], [ordering_id]
FROM [dbo].[tags] AS tag_row;

-- SqlServerJournalSql.TagTable
[dbo].[tags];

-- SqlServerJournalSql.TaggedKeys.From
SELECT [Ordering], [PersistenceId], [SequenceNr], [Tags]
FROM [dbo].[EventJournal] AS journal_row
WHERE [Ordering] >= @p1
ORDER BY [Ordering]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.TaggedKeys.InGaps
SELECT TOP (@p2) e.*
FROM OPENJSON(@p1) WITH (f BIGINT '$[0]', t BIGINT '$[1]') AS r
CROSS APPLY (SELECT TOP (@p2) [Ordering], [PersistenceId], [SequenceNr], [Tags]
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [Ordering] >= r.f
        AND [Ordering] <= r.t
    ORDER BY [Ordering]) AS e
ORDER BY e.[Ordering] OPTION (MAXDOP 1);

-- SqlServerJournalSql.Tags
SELECT e.*
FROM OPENJSON(@p1) WITH (n BIGINT '$') AS r
CROSS APPLY (SELECT TOP (2147483647) [ordering_id], [tag]
    FROM [dbo].[tags] AS tag_row
    WHERE [ordering_id] = r.n) AS e OPTION (MAXDOP 1);

-- SqlServerJournalSql.TagsBetween
SELECT [ordering_id], [tag]
FROM [dbo].[tags] AS tag_row
WHERE [ordering_id] >= @p1
    AND [ordering_id] <= @p2
ORDER BY [ordering_id] OPTION (MAXDOP 1);

-- ShardMarkSql.AnyEvent
SELECT 1
FROM [dbo].[EventJournal] AS journal_row
ORDER BY [Ordering]
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- ShardMarkSql.Create
IF OBJECT_ID(N'[dbo].[throttled_shards]', N'U') IS NULL CREATE TABLE [dbo].[throttled_shards] (journal_table NVARCHAR(255) NOT NULL PRIMARY KEY, shard INTEGER NOT NULL, slices NVARCHAR(MAX) NOT NULL);

-- ShardMarkSql.Journal
[dbo].[EventJournal];

-- ShardMarkSql.Read
SELECT shard, slices
FROM [dbo].[throttled_shards]
WHERE journal_table = @p1;

-- ShardMarkSql.Table
[dbo].[throttled_shards];

-- ShardMarkSql.Write
INSERT INTO [dbo].[throttled_shards] (journal_table, shard, slices)
VALUES (@p1, @p2, @p3);

-- SqlServerSchema.Create, 1: as in 'default layout, tag table'

-- SqlServerSchema.Create, 2
IF SCHEMA_ID(N'dbo') IS NULL EXEC(N'CREATE SCHEMA [dbo]');

-- SqlServerSchema.Create, 3
IF OBJECT_ID(N'[dbo].[EventJournal]', N'U') IS NULL CREATE TABLE [dbo].[EventJournal] (
    [Ordering] BIGINT IDENTITY(1,1) NOT NULL PRIMARY KEY CLUSTERED,
    [IsDeleted] BIT NOT NULL,
    [PersistenceId] NVARCHAR(255) NOT NULL,
    [SequenceNr] BIGINT NOT NULL,
    [Timestamp] BIGINT NOT NULL,
    [Payload] VARBINARY(MAX) NOT NULL,
    [SerializerId] INTEGER NULL,
    [Manifest] NVARCHAR(500) NULL,
    [Tags] NVARCHAR(4000) NULL, UNIQUE ([PersistenceId], [SequenceNr]));

-- SqlServerStaging.MoveEvents
INSERT INTO [dbo].[EventJournal] ([IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest], [Tags])
SELECT 0, e.persistence_id, e.sequence_number, e.created, e.payload, e.serializer_id, e.manifest, e.tags
FROM #throttled_events AS e
ORDER BY e.n; TRUNCATE TABLE #throttled_events;


-- == layout of Akka.Persistence.SqlServer, tag table ==

-- SqlServerJournalSql.CreateTagIndex: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.FirstIds: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.FirstTagged: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.FromEnd
SELECT [Ordering], [IsDeleted], [PersistenceId]
FROM [dbo].[EventJournal] AS journal_row
WHERE [Ordering] < @p1
ORDER BY [Ordering] DESC
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.FromEndByTable: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.Ids: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.JournalColumns
SELECT TOP (0) [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest]
FROM [dbo].[EventJournal] AS journal_row;

-- SqlServerJournalSql.JournalTable: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.Keys.From: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.Keys.InGaps: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.LastKey: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.Ordered
SELECT [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest]
FROM [dbo].[EventJournal] AS journal_row
WHERE [Ordering] > @p1
    AND [Ordering] <= @p2
ORDER BY [Ordering]
OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByColumn
SELECT [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest]
FROM [dbo].[EventJournal] AS journal_row
WHERE [Ordering] > @p1
    AND [Ordering] <= @p2
    AND [Tags] <> N''
    AND EXISTS (SELECT 1
        FROM OPENJSON(@p3) WITH (tag NVARCHAR(4000) '$') AS w
        WHERE CHARINDEX(w.tag COLLATE Latin1_General_BIN2, [Tags] COLLATE Latin1_General_BIN2) > 0)
ORDER BY [Ordering]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT TOP (@p4) [ordering_id] AS o
    FROM [dbo].[tags] AS tag_row
    WHERE [tag] = @p3
        AND [ordering_id] > @p1
        AND [ordering_id] <= @p2
    ORDER BY [ordering_id]) AS t
OUTER APPLY (SELECT [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest]
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [Ordering] = t.o) AS e
ORDER BY t.o OPTION (MAXDOP 1);

-- SqlServerJournalSql.Page
SELECT [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest]
FROM [dbo].[EventJournal] AS journal_row
WHERE [PersistenceId] = @p1
    AND [SequenceNr] >= @p2
    AND [SequenceNr] <= @p3
ORDER BY [SequenceNr]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Pages
SELECT k.member, k.number, e.*
FROM (SELECT TOP (@p2) r.member, x.number, x.place
    FROM OPENJSON(@p1) WITH (member INT '$[0]', id NVARCHAR(4000) '$[1]', f BIGINT '$[2]', t BIGINT '$[3]', most INT '$[4]') AS r
    CROSS APPLY (SELECT TOP (r.most) [SequenceNr] AS number, [Ordering] AS place
        FROM [dbo].[EventJournal] AS journal_row
        WHERE [PersistenceId] = r.id
            AND [SequenceNr] >= r.f
            AND [SequenceNr] <= r.t
        ORDER BY [SequenceNr]) AS x
    ORDER BY r.member, x.number) AS k
OUTER APPLY (SELECT TOP (1) [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest]
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [Ordering] = k.place) AS e
ORDER BY k.member, k.number OPTION (MAXDOP 1);

-- SqlServerJournalSql.Rows
SELECT e.*
FROM OPENJSON(@p1) WITH (n BIGINT '$') AS r
CROSS APPLY (SELECT TOP (1) [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest]
    FROM [dbo].[EventJournal] AS journal_row
    WHERE [Ordering] = r.n) AS e OPTION (MAXDOP 1);

-- SqlServerJournalSql.RowsFrom
SELECT [Ordering], [IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest]
FROM [dbo].[EventJournal] AS journal_row
WHERE [Ordering] >= @p1
ORDER BY [Ordering]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.TagColumns: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.TagTable: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.TaggedKeys.From: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.TaggedKeys.InGaps: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.Tags: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerJournalSql.TagsBetween: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- ShardMarkSql.AnyEvent: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- ShardMarkSql.Create: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- ShardMarkSql.Journal: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- ShardMarkSql.Read: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- ShardMarkSql.Table: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- ShardMarkSql.Write: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerSchema.Create, 1: as in 'default layout, tag table'

-- SqlServerSchema.Create, 2: as in 'layout of Akka.Persistence.SqlServer, tags in a column'

-- SqlServerSchema.Create, 3
IF OBJECT_ID(N'[dbo].[EventJournal]', N'U') IS NULL CREATE TABLE [dbo].[EventJournal] (
    [Ordering] BIGINT IDENTITY(1,1) NOT NULL PRIMARY KEY CLUSTERED,
    [IsDeleted] BIT NOT NULL,
    [PersistenceId] NVARCHAR(255) NOT NULL,
    [SequenceNr] BIGINT NOT NULL,
    [Timestamp] BIGINT NOT NULL,
    [Payload] VARBINARY(MAX) NOT NULL,
    [SerializerId] INTEGER NULL,
    [Manifest] NVARCHAR(500) NULL,
    UNIQUE ([PersistenceId], [SequenceNr]));

-- SqlServerSchema.Create, 4
IF OBJECT_ID(N'[dbo].[tags]', N'U') IS NULL CREATE TABLE [dbo].[tags] (
    [ordering_id] BIGINT NOT NULL,
    [tag] NVARCHAR(64) NOT NULL,
    [sequence_nr] BIGINT NOT NULL,
    [persistence_id] NVARCHAR(255) NOT NULL,
    PRIMARY KEY ([ordering_id], [tag]));

-- SqlServerSchema.Create, 5
IF NOT EXISTS (SELECT *
    FROM sys.index_columns AS t
    JOIN sys.index_columns AS o ON o.object_id = t.object_id
        AND o.index_id = t.index_id
    WHERE t.object_id = OBJECT_ID(N'[dbo].[tags]')
        AND t.key_ordinal = 1
        AND COL_NAME(t.object_id, t.column_id) = N'tag'
        AND o.key_ordinal = 2
        AND COL_NAME(o.object_id, o.column_id) = N'ordering_id') CREATE INDEX [tags_tag_ordering_idx] ON [dbo].[tags] ([tag], [ordering_id]);

-- SqlServerStaging.MoveEvents
INSERT INTO [dbo].[EventJournal] ([IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest])
SELECT 0, e.persistence_id, e.sequence_number, e.created, e.payload, e.serializer_id, e.manifest
FROM #throttled_events AS e
ORDER BY e.n; TRUNCATE TABLE #throttled_events;

-- SqlServerStaging.MoveEventsAndTags
DECLARE @orderings TABLE (ordering BIGINT NOT NULL PRIMARY KEY);
INSERT INTO [dbo].[EventJournal] ([IsDeleted], [PersistenceId], [SequenceNr], [Timestamp], [Payload], [SerializerId], [Manifest]) OUTPUT inserted.[Ordering] INTO @orderings (ordering) SELECT 0, e.persistence_id, e.sequence_number, e.created, e.payload, e.serializer_id, e.manifest FROM #throttled_events AS e ORDER BY e.n;
INSERT INTO [dbo].[tags] ([ordering_id], [tag], [sequence_nr], [persistence_id])
SELECT o.ordering, t.tag, e.sequence_number, e.persistence_id
FROM (SELECT ordering, ROW_NUMBER() OVER (ORDER BY ordering) AS n FROM @orderings) AS o
INNER MERGE JOIN #throttled_events AS e ON e.n = o.n
INNER MERGE JOIN #throttled_tags AS t ON t.n = o.n;
TRUNCATE TABLE #throttled_events;
TRUNCATE TABLE #throttled_tags;


-- == odd names ==

-- SqlServerJournalSql.CreateTagIndex
CREATE INDEX [tag"s_tag_ordering_idx] ON [my "schema"].[tag"s] ([tag;], [?1]);

-- SqlServerJournalSql.FirstIds
WITH ids (id) AS (SELECT s.id
    FROM (SELECT TOP (1) [the id's] AS id
        FROM [my "schema"].[order by] AS journal_row
        ORDER BY [the id's]) AS s
    UNION ALL
    SELECT n.id
    FROM (SELECT journal_row.[the id's] AS id, ROW_NUMBER() OVER (ORDER BY journal_row.[the id's]) AS place
        FROM ids AS i
        JOIN [my "schema"].[order by] AS journal_row ON journal_row.[the id's] > i.id) AS n
    WHERE n.place = 1)
SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END
FROM (SELECT TOP (@p1) i.id
    FROM ids AS i) AS i
CROSS APPLY (SELECT TOP (1) [the id's] AS id
    FROM [my "schema"].[order by] AS journal_row
    WHERE [the id's] = i.id
    ORDER BY [Sequence Number]) AS f
CROSS APPLY (SELECT TOP (1) [the id's] AS id
    FROM [my "schema"].[order by] AS journal_row
    WHERE [the id's] = i.id
    ORDER BY [Sequence Number] DESC) AS l
OUTER APPLY (SELECT TOP (1) 1 AS one
    FROM [my "schema"].[order by] AS journal_row
    WHERE [the id's] = i.id
        AND [is [deleted]]] = 0
    ORDER BY [Sequence Number] DESC) AS h
ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1);

-- SqlServerJournalSql.FirstTagged
SELECT MIN([?1])
FROM [my "schema"].[tag"s] AS tag_row;

-- SqlServerJournalSql.FromEnd
SELECT [select], [is [deleted]]], [the id's]
FROM [my "schema"].[order by] AS journal_row
WHERE [select] < @p1
ORDER BY [select] DESC
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.FromEndByTable
SELECT t.o, e.*, t.w
FROM (SELECT TOP (@p3) [?1] AS o, [tag;] AS w
    FROM [my "schema"].[tag"s] AS tag_row
    WHERE [tag;] = @p2
        AND [?1] < @p1
    ORDER BY [?1] DESC) AS t
OUTER APPLY (SELECT [is [deleted]]], [the id's]
    FROM [my "schema"].[order by] AS journal_row
    WHERE [select] = t.o) AS e
ORDER BY t.o DESC OPTION (MAXDOP 1);

-- SqlServerJournalSql.Ids
WITH ids (id) AS (SELECT s.id
    FROM (SELECT TOP (1) [the id's] AS id
        FROM [my "schema"].[order by] AS journal_row
        WHERE [the id's] > @p1
        ORDER BY [the id's]) AS s
    UNION ALL
    SELECT n.id
    FROM (SELECT journal_row.[the id's] AS id, ROW_NUMBER() OVER (ORDER BY journal_row.[the id's]) AS place
        FROM ids AS i
        JOIN [my "schema"].[order by] AS journal_row ON journal_row.[the id's] > i.id) AS n
    WHERE n.place = 1)
SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END
FROM (SELECT TOP (@p2) i.id
    FROM ids AS i) AS i
CROSS APPLY (SELECT TOP (1) [the id's] AS id
    FROM [my "schema"].[order by] AS journal_row
    WHERE [the id's] = i.id
    ORDER BY [Sequence Number]) AS f
CROSS APPLY (SELECT TOP (1) [the id's] AS id
    FROM [my "schema"].[order by] AS journal_row
    WHERE [the id's] = i.id
    ORDER BY [Sequence Number] DESC) AS l
OUTER APPLY (SELECT TOP (1) 1 AS one
    FROM [my "schema"].[order by] AS journal_row
    WHERE [the id's] = i.id
        AND [is [deleted]]] = 0
    ORDER BY [Sequence Number] DESC) AS h
ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1);

-- SqlServerJournalSql.JournalColumns
SELECT TOP (0) [select], [is [deleted]]], [the id's], [Sequence Number], [from], [payload]]], [--], [`manifest`]
FROM [my "schema"].[order by] AS journal_row;

-- SqlServerJournalSql.JournalTable
[my "schema"].[order by];

-- SqlServerJournalSql.Keys.From
SELECT [select], [the id's], [Sequence Number]
FROM [my "schema"].[order by] AS journal_row
WHERE [select] >= @p1
ORDER BY [select]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Keys.InGaps
SELECT TOP (@p2) e.*
FROM OPENJSON(@p1) WITH (f BIGINT '$[0]', t BIGINT '$[1]') AS r
CROSS APPLY (SELECT TOP (@p2) [select], [the id's], [Sequence Number]
    FROM [my "schema"].[order by] AS journal_row
    WHERE [select] >= r.f
        AND [select] <= r.t
    ORDER BY [select]) AS e
ORDER BY e.[select] OPTION (MAXDOP 1);

-- SqlServerJournalSql.LastKey
SELECT [select], [the id's], [Sequence Number]
FROM [my "schema"].[order by] AS journal_row
ORDER BY [select] DESC
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- SqlServerJournalSql.Ordered
SELECT [select], [is [deleted]]], [the id's], [Sequence Number], [from], [payload]]], [--], [`manifest`]
FROM [my "schema"].[order by] AS journal_row
WHERE [select] > @p1
    AND [select] <= @p2
ORDER BY [select]
OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByColumn
SELECT [select], [is [deleted]]], [the id's], [Sequence Number], [from], [payload]]], [--], [`manifest`]
FROM [my "schema"].[order by] AS journal_row
WHERE [select] > @p1
    AND [select] <= @p2
    AND [tags] <> N''
    AND EXISTS (SELECT 1
        FROM OPENJSON(@p3) WITH (tag NVARCHAR(4000) '$') AS w
        WHERE CHARINDEX(w.tag COLLATE Latin1_General_BIN2, [tags] COLLATE Latin1_General_BIN2) > 0)
ORDER BY [select]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT TOP (@p4) [?1] AS o
    FROM [my "schema"].[tag"s] AS tag_row
    WHERE [tag;] = @p3
        AND [?1] > @p1
        AND [?1] <= @p2
    ORDER BY [?1]) AS t
OUTER APPLY (SELECT [select], [is [deleted]]], [the id's], [Sequence Number], [from], [payload]]], [--], [`manifest`]
    FROM [my "schema"].[order by] AS journal_row
    WHERE [select] = t.o) AS e
ORDER BY t.o OPTION (MAXDOP 1);

-- SqlServerJournalSql.Page
SELECT [select], [is [deleted]]], [the id's], [Sequence Number], [from], [payload]]], [--], [`manifest`]
FROM [my "schema"].[order by] AS journal_row
WHERE [the id's] = @p1
    AND [Sequence Number] >= @p2
    AND [Sequence Number] <= @p3
ORDER BY [Sequence Number]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Pages
SELECT k.member, k.number, e.*
FROM (SELECT TOP (@p2) r.member, x.number, x.place
    FROM OPENJSON(@p1) WITH (member INT '$[0]', id NVARCHAR(4000) '$[1]', f BIGINT '$[2]', t BIGINT '$[3]', most INT '$[4]') AS r
    CROSS APPLY (SELECT TOP (r.most) [Sequence Number] AS number, [select] AS place
        FROM [my "schema"].[order by] AS journal_row
        WHERE [the id's] = r.id
            AND [Sequence Number] >= r.f
            AND [Sequence Number] <= r.t
        ORDER BY [Sequence Number]) AS x
    ORDER BY r.member, x.number) AS k
OUTER APPLY (SELECT TOP (1) [select], [is [deleted]]], [the id's], [Sequence Number], [from], [payload]]], [--], [`manifest`]
    FROM [my "schema"].[order by] AS journal_row
    WHERE [select] = k.place) AS e
ORDER BY k.member, k.number OPTION (MAXDOP 1);

-- SqlServerJournalSql.Rows
SELECT e.*
FROM OPENJSON(@p1) WITH (n BIGINT '$') AS r
CROSS APPLY (SELECT TOP (1) [select], [is [deleted]]], [the id's], [Sequence Number], [from], [payload]]], [--], [`manifest`]
    FROM [my "schema"].[order by] AS journal_row
    WHERE [select] = r.n) AS e OPTION (MAXDOP 1);

-- SqlServerJournalSql.RowsFrom
SELECT [select], [is [deleted]]], [the id's], [Sequence Number], [from], [payload]]], [--], [`manifest`]
FROM [my "schema"].[order by] AS journal_row
WHERE [select] >= @p1
ORDER BY [select]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.TagColumns
SELECT TOP (0) [tag;], [?1]
FROM [my "schema"].[tag"s] AS tag_row;

-- SqlServerJournalSql.TagTable
[my "schema"].[tag"s];

-- SqlServerJournalSql.TaggedKeys.From
SELECT [select], [the id's], [Sequence Number], [tags]
FROM [my "schema"].[order by] AS journal_row
WHERE [select] >= @p1
ORDER BY [select]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.TaggedKeys.InGaps
SELECT TOP (@p2) e.*
FROM OPENJSON(@p1) WITH (f BIGINT '$[0]', t BIGINT '$[1]') AS r
CROSS APPLY (SELECT TOP (@p2) [select], [the id's], [Sequence Number], [tags]
    FROM [my "schema"].[order by] AS journal_row
    WHERE [select] >= r.f
        AND [select] <= r.t
    ORDER BY [select]) AS e
ORDER BY e.[select] OPTION (MAXDOP 1);

-- SqlServerJournalSql.Tags
SELECT e.*
FROM OPENJSON(@p1) WITH (n BIGINT '$') AS r
CROSS APPLY (SELECT TOP (2147483647) [?1], [tag;]
    FROM [my "schema"].[tag"s] AS tag_row
    WHERE [?1] = r.n) AS e OPTION (MAXDOP 1);

-- SqlServerJournalSql.TagsBetween
SELECT [?1], [tag;]
FROM [my "schema"].[tag"s] AS tag_row
WHERE [?1] >= @p1
    AND [?1] <= @p2
ORDER BY [?1] OPTION (MAXDOP 1);

-- ShardMarkSql.AnyEvent
SELECT 1
FROM [my "schema"].[order by] AS journal_row
ORDER BY [select]
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- ShardMarkSql.Create
IF OBJECT_ID(N'[my "schema"].[throttled_shards]', N'U') IS NULL CREATE TABLE [my "schema"].[throttled_shards] (journal_table NVARCHAR(255) NOT NULL PRIMARY KEY, shard INTEGER NOT NULL, slices NVARCHAR(MAX) NOT NULL);

-- ShardMarkSql.Journal
[my "schema"].[order by];

-- ShardMarkSql.Read
SELECT shard, slices
FROM [my "schema"].[throttled_shards]
WHERE journal_table = @p1;

-- ShardMarkSql.Table
[my "schema"].[throttled_shards];

-- ShardMarkSql.Write
INSERT INTO [my "schema"].[throttled_shards] (journal_table, shard, slices)
VALUES (@p1, @p2, @p3);

-- SqlServerSchema.Create, 1: as in 'default layout, tag table'

-- SqlServerSchema.Create, 2
IF SCHEMA_ID(N'my "schema"') IS NULL EXEC(N'CREATE SCHEMA [my "schema"]');

-- SqlServerSchema.Create, 3
IF OBJECT_ID(N'[my "schema"].[order by]', N'U') IS NULL CREATE TABLE [my "schema"].[order by] (
    [select] BIGINT IDENTITY(1,1) NOT NULL PRIMARY KEY CLUSTERED,
    [is [deleted]]] BIT NOT NULL,
    [the id's] NVARCHAR(255) NOT NULL,
    [Sequence Number] BIGINT NOT NULL,
    [from] BIGINT NOT NULL,
    [payload]]] VARBINARY(MAX) NOT NULL,
    [--] INTEGER NULL,
    [`manifest`] NVARCHAR(500) NULL,
    [$1] NVARCHAR(128) NULL, UNIQUE ([the id's], [Sequence Number]));

-- SqlServerSchema.Create, 4
IF OBJECT_ID(N'[my "schema"].[tag"s]', N'U') IS NULL CREATE TABLE [my "schema"].[tag"s] (
    [?1] BIGINT NOT NULL,
    [tag;] NVARCHAR(64) NOT NULL,
    [@p1] BIGINT NOT NULL,
    [Größe] NVARCHAR(255) NOT NULL,
    PRIMARY KEY ([?1], [tag;]));

-- SqlServerSchema.Create, 5
IF NOT EXISTS (SELECT *
    FROM sys.index_columns AS t
    JOIN sys.index_columns AS o ON o.object_id = t.object_id
        AND o.index_id = t.index_id
    WHERE t.object_id = OBJECT_ID(N'[my "schema"].[tag"s]')
        AND t.key_ordinal = 1
        AND COL_NAME(t.object_id, t.column_id) = N'tag;'
        AND o.key_ordinal = 2
        AND COL_NAME(o.object_id, o.column_id) = N'?1') CREATE INDEX [tag"s_tag_ordering_idx] ON [my "schema"].[tag"s] ([tag;], [?1]);

-- SqlServerStaging.MoveEvents
INSERT INTO [my "schema"].[order by] ([is [deleted]]], [the id's], [Sequence Number], [from], [payload]]], [--], [`manifest`], [$1])
SELECT 0, e.persistence_id, e.sequence_number, e.created, e.payload, e.serializer_id, e.manifest, @p1
FROM #throttled_events AS e
ORDER BY e.n; TRUNCATE TABLE #throttled_events;

-- SqlServerStaging.MoveEventsAndTags
DECLARE @orderings TABLE (ordering BIGINT NOT NULL PRIMARY KEY);
INSERT INTO [my "schema"].[order by] ([is [deleted]]], [the id's], [Sequence Number], [from], [payload]]], [--], [`manifest`], [$1]) OUTPUT inserted.[select] INTO @orderings (ordering) SELECT 0, e.persistence_id, e.sequence_number, e.created, e.payload, e.serializer_id, e.manifest, @p1 FROM #throttled_events AS e ORDER BY e.n;
INSERT INTO [my "schema"].[tag"s] ([?1], [tag;], [@p1], [Größe])
SELECT o.ordering, t.tag, e.sequence_number, e.persistence_id
FROM (SELECT ordering, ROW_NUMBER() OVER (ORDER BY ordering) AS n FROM @orderings) AS o
INNER MERGE JOIN #throttled_events AS e ON e.n = o.n
INNER MERGE JOIN #throttled_tags AS t ON t.n = o.n;
TRUNCATE TABLE #throttled_events;
TRUNCATE TABLE #throttled_tags;


-- == a table with the name of a list ==

-- SqlServerJournalSql.CreateTagIndex: as in 'default layout, tag table'

-- SqlServerJournalSql.FirstIds
WITH their_ids (id) AS (SELECT s.id
    FROM (SELECT TOP (1) [persistence_id] AS id
        FROM [ids] AS journal_row
        ORDER BY [persistence_id]) AS s
    UNION ALL
    SELECT n.id
    FROM (SELECT journal_row.[persistence_id] AS id, ROW_NUMBER() OVER (ORDER BY journal_row.[persistence_id]) AS place
        FROM their_ids AS i
        JOIN [ids] AS journal_row ON journal_row.[persistence_id] > i.id) AS n
    WHERE n.place = 1)
SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END
FROM (SELECT TOP (@p1) i.id
    FROM their_ids AS i) AS i
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [ids] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number]) AS f
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [ids] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number] DESC) AS l
OUTER APPLY (SELECT TOP (1) 1 AS one
    FROM [ids] AS journal_row
    WHERE [persistence_id] = i.id
        AND [deleted] = 0
    ORDER BY [sequence_number] DESC) AS h
ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1);

-- SqlServerJournalSql.FirstTagged: as in 'default layout, tag table'

-- SqlServerJournalSql.FromEnd
SELECT [ordering], [deleted], [persistence_id]
FROM [ids] AS journal_row
WHERE [ordering] < @p1
ORDER BY [ordering] DESC
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.FromEndByTable
SELECT t.o, e.*, t.w
FROM (SELECT TOP (@p3) [ordering_id] AS o, [tag] AS w
    FROM [tags] AS tag_row
    WHERE [tag] = @p2
        AND [ordering_id] < @p1
    ORDER BY [ordering_id] DESC) AS t
OUTER APPLY (SELECT [deleted], [persistence_id]
    FROM [ids] AS journal_row
    WHERE [ordering] = t.o) AS e
ORDER BY t.o DESC OPTION (MAXDOP 1);

-- SqlServerJournalSql.Ids
WITH their_ids (id) AS (SELECT s.id
    FROM (SELECT TOP (1) [persistence_id] AS id
        FROM [ids] AS journal_row
        WHERE [persistence_id] > @p1
        ORDER BY [persistence_id]) AS s
    UNION ALL
    SELECT n.id
    FROM (SELECT journal_row.[persistence_id] AS id, ROW_NUMBER() OVER (ORDER BY journal_row.[persistence_id]) AS place
        FROM their_ids AS i
        JOIN [ids] AS journal_row ON journal_row.[persistence_id] > i.id) AS n
    WHERE n.place = 1)
SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END
FROM (SELECT TOP (@p2) i.id
    FROM their_ids AS i) AS i
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [ids] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number]) AS f
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [ids] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number] DESC) AS l
OUTER APPLY (SELECT TOP (1) 1 AS one
    FROM [ids] AS journal_row
    WHERE [persistence_id] = i.id
        AND [deleted] = 0
    ORDER BY [sequence_number] DESC) AS h
ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1);

-- SqlServerJournalSql.JournalColumns
SELECT TOP (0) [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [ids] AS journal_row;

-- SqlServerJournalSql.JournalTable
[ids];

-- SqlServerJournalSql.Keys.From
SELECT [ordering], [persistence_id], [sequence_number]
FROM [ids] AS journal_row
WHERE [ordering] >= @p1
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Keys.InGaps
SELECT TOP (@p2) e.*
FROM OPENJSON(@p1) WITH (f BIGINT '$[0]', t BIGINT '$[1]') AS r
CROSS APPLY (SELECT TOP (@p2) [ordering], [persistence_id], [sequence_number]
    FROM [ids] AS journal_row
    WHERE [ordering] >= r.f
        AND [ordering] <= r.t
    ORDER BY [ordering]) AS e
ORDER BY e.[ordering] OPTION (MAXDOP 1);

-- SqlServerJournalSql.LastKey
SELECT [ordering], [persistence_id], [sequence_number]
FROM [ids] AS journal_row
ORDER BY [ordering] DESC
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- SqlServerJournalSql.Ordered
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [ids] AS journal_row
WHERE [ordering] > @p1
    AND [ordering] <= @p2
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByColumn
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [ids] AS journal_row
WHERE [ordering] > @p1
    AND [ordering] <= @p2
    AND [tags] <> N''
    AND EXISTS (SELECT 1
        FROM OPENJSON(@p3) WITH (tag NVARCHAR(4000) '$') AS w
        WHERE CHARINDEX(w.tag COLLATE Latin1_General_BIN2, [tags] COLLATE Latin1_General_BIN2) > 0)
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT TOP (@p4) [ordering_id] AS o
    FROM [tags] AS tag_row
    WHERE [tag] = @p3
        AND [ordering_id] > @p1
        AND [ordering_id] <= @p2
    ORDER BY [ordering_id]) AS t
OUTER APPLY (SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
    FROM [ids] AS journal_row
    WHERE [ordering] = t.o) AS e
ORDER BY t.o OPTION (MAXDOP 1);

-- SqlServerJournalSql.Page
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [ids] AS journal_row
WHERE [persistence_id] = @p1
    AND [sequence_number] >= @p2
    AND [sequence_number] <= @p3
ORDER BY [sequence_number]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Pages
SELECT k.member, k.number, e.*
FROM (SELECT TOP (@p2) r.member, x.number, x.place
    FROM OPENJSON(@p1) WITH (member INT '$[0]', id NVARCHAR(4000) '$[1]', f BIGINT '$[2]', t BIGINT '$[3]', most INT '$[4]') AS r
    CROSS APPLY (SELECT TOP (r.most) [sequence_number] AS number, [ordering] AS place
        FROM [ids] AS journal_row
        WHERE [persistence_id] = r.id
            AND [sequence_number] >= r.f
            AND [sequence_number] <= r.t
        ORDER BY [sequence_number]) AS x
    ORDER BY r.member, x.number) AS k
OUTER APPLY (SELECT TOP (1) [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
    FROM [ids] AS journal_row
    WHERE [ordering] = k.place) AS e
ORDER BY k.member, k.number OPTION (MAXDOP 1);

-- SqlServerJournalSql.Rows
SELECT e.*
FROM OPENJSON(@p1) WITH (n BIGINT '$') AS r
CROSS APPLY (SELECT TOP (1) [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
    FROM [ids] AS journal_row
    WHERE [ordering] = r.n) AS e OPTION (MAXDOP 1);

-- SqlServerJournalSql.RowsFrom
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [ids] AS journal_row
WHERE [ordering] >= @p1
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.TagColumns: as in 'default layout, tag table'

-- SqlServerJournalSql.TagTable: as in 'default layout, tag table'

-- SqlServerJournalSql.TaggedKeys.From
SELECT [ordering], [persistence_id], [sequence_number], [tags]
FROM [ids] AS journal_row
WHERE [ordering] >= @p1
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.TaggedKeys.InGaps
SELECT TOP (@p2) e.*
FROM OPENJSON(@p1) WITH (f BIGINT '$[0]', t BIGINT '$[1]') AS r
CROSS APPLY (SELECT TOP (@p2) [ordering], [persistence_id], [sequence_number], [tags]
    FROM [ids] AS journal_row
    WHERE [ordering] >= r.f
        AND [ordering] <= r.t
    ORDER BY [ordering]) AS e
ORDER BY e.[ordering] OPTION (MAXDOP 1);

-- SqlServerJournalSql.Tags: as in 'default layout, tag table'

-- SqlServerJournalSql.TagsBetween: as in 'default layout, tag table'

-- ShardMarkSql.AnyEvent
SELECT 1
FROM [ids] AS journal_row
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- ShardMarkSql.Create: as in 'default layout, tag table'

-- ShardMarkSql.Journal
[ids];

-- ShardMarkSql.Read: as in 'default layout, tag table'

-- ShardMarkSql.Table: as in 'default layout, tag table'

-- ShardMarkSql.Write: as in 'default layout, tag table'

-- SqlServerSchema.Create, 1: as in 'default layout, tag table'

-- SqlServerSchema.Create, 2
IF OBJECT_ID(N'[ids]', N'U') IS NULL CREATE TABLE [ids] (
    [ordering] BIGINT IDENTITY(1,1) NOT NULL PRIMARY KEY CLUSTERED,
    [deleted] BIT NOT NULL,
    [persistence_id] NVARCHAR(255) NOT NULL,
    [sequence_number] BIGINT NOT NULL,
    [created] BIGINT NOT NULL,
    [message] VARBINARY(MAX) NOT NULL,
    [identifier] INTEGER NULL,
    [manifest] NVARCHAR(500) NULL,
    [writer_uuid] NVARCHAR(128) NULL, UNIQUE ([persistence_id], [sequence_number]));

-- SqlServerSchema.Create, 3: as in 'default layout, tag table'

-- SqlServerSchema.Create, 4: as in 'default layout, tag table'

-- SqlServerStaging.MoveEvents
INSERT INTO [ids] ([deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest], [writer_uuid])
SELECT 0, e.persistence_id, e.sequence_number, e.created, e.payload, e.serializer_id, e.manifest, @p1
FROM #throttled_events AS e
ORDER BY e.n; TRUNCATE TABLE #throttled_events;

-- SqlServerStaging.MoveEventsAndTags
DECLARE @orderings TABLE (ordering BIGINT NOT NULL PRIMARY KEY);
INSERT INTO [ids] ([deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest], [writer_uuid]) OUTPUT inserted.[ordering] INTO @orderings (ordering) SELECT 0, e.persistence_id, e.sequence_number, e.created, e.payload, e.serializer_id, e.manifest, @p1 FROM #throttled_events AS e ORDER BY e.n;
INSERT INTO [tags] ([ordering_id], [tag], [sequence_nr], [persistence_id])
SELECT o.ordering, t.tag, e.sequence_number, e.persistence_id
FROM (SELECT ordering, ROW_NUMBER() OVER (ORDER BY ordering) AS n FROM @orderings) AS o
INNER MERGE JOIN #throttled_events AS e ON e.n = o.n
INNER MERGE JOIN #throttled_tags AS t ON t.n = o.n;
TRUNCATE TABLE #throttled_events;
TRUNCATE TABLE #throttled_tags;


-- == default layout, payloads above 1,000 bytes left out ==

-- SqlServerJournalSql.CreateTagIndex: as in 'default layout, tag table'

-- SqlServerJournalSql.FirstIds: as in 'default layout, tag table'

-- SqlServerJournalSql.FirstTagged: as in 'default layout, tag table'

-- SqlServerJournalSql.FromEnd: as in 'default layout, tag table'

-- SqlServerJournalSql.FromEndByTable: as in 'default layout, tag table'

-- SqlServerJournalSql.Ids: as in 'default layout, tag table'

-- SqlServerJournalSql.JournalColumns
SELECT TOP (0) [ordering], [deleted], [persistence_id], [sequence_number], [created], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN NULL ELSE [message] END AS [message], [identifier], [manifest], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN CONVERT(INT, DATALENGTH([message])) END AS left_out
FROM [journal] AS journal_row;

-- SqlServerJournalSql.JournalTable: as in 'default layout, tag table'

-- SqlServerJournalSql.Keys.From: as in 'default layout, tag table'

-- SqlServerJournalSql.Keys.InGaps: as in 'default layout, tag table'

-- SqlServerJournalSql.LastKey: as in 'default layout, tag table'

-- SqlServerJournalSql.Ordered
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN NULL ELSE [message] END AS [message], [identifier], [manifest], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN CONVERT(INT, DATALENGTH([message])) END AS left_out
FROM [journal] AS journal_row
WHERE [ordering] > @p1
    AND [ordering] <= @p2
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByColumn
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN NULL ELSE [message] END AS [message], [identifier], [manifest], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN CONVERT(INT, DATALENGTH([message])) END AS left_out
FROM [journal] AS journal_row
WHERE [ordering] > @p1
    AND [ordering] <= @p2
    AND [tags] <> N''
    AND EXISTS (SELECT 1
        FROM OPENJSON(@p3) WITH (tag NVARCHAR(4000) '$') AS w
        WHERE CHARINDEX(w.tag COLLATE Latin1_General_BIN2, [tags] COLLATE Latin1_General_BIN2) > 0)
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT TOP (@p4) [ordering_id] AS o
    FROM [tags] AS tag_row
    WHERE [tag] = @p3
        AND [ordering_id] > @p1
        AND [ordering_id] <= @p2
    ORDER BY [ordering_id]) AS t
OUTER APPLY (SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN NULL ELSE [message] END AS [message], [identifier], [manifest], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN CONVERT(INT, DATALENGTH([message])) END AS left_out
    FROM [journal] AS journal_row
    WHERE [ordering] = t.o) AS e
ORDER BY t.o OPTION (MAXDOP 1);

-- SqlServerJournalSql.Page
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN NULL ELSE [message] END AS [message], [identifier], [manifest], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN CONVERT(INT, DATALENGTH([message])) END AS left_out
FROM [journal] AS journal_row
WHERE [persistence_id] = @p1
    AND [sequence_number] >= @p2
    AND [sequence_number] <= @p3
ORDER BY [sequence_number]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Pages
SELECT k.member, k.number, e.*
FROM (SELECT TOP (@p2) r.member, x.number, x.place
    FROM OPENJSON(@p1) WITH (member INT '$[0]', id NVARCHAR(4000) '$[1]', f BIGINT '$[2]', t BIGINT '$[3]', most INT '$[4]') AS r
    CROSS APPLY (SELECT TOP (r.most) [sequence_number] AS number, [ordering] AS place
        FROM [journal] AS journal_row
        WHERE [persistence_id] = r.id
            AND [sequence_number] >= r.f
            AND [sequence_number] <= r.t
        ORDER BY [sequence_number]) AS x
    ORDER BY r.member, x.number) AS k
OUTER APPLY (SELECT TOP (1) [ordering], [deleted], [persistence_id], [sequence_number], [created], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN NULL ELSE [message] END AS [message], [identifier], [manifest], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN CONVERT(INT, DATALENGTH([message])) END AS left_out
    FROM [journal] AS journal_row
    WHERE [ordering] = k.place) AS e
ORDER BY k.member, k.number OPTION (MAXDOP 1);

-- SqlServerJournalSql.Rows
SELECT e.*
FROM OPENJSON(@p1) WITH (n BIGINT '$') AS r
CROSS APPLY (SELECT TOP (1) [ordering], [deleted], [persistence_id], [sequence_number], [created], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN NULL ELSE [message] END AS [message], [identifier], [manifest], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN CONVERT(INT, DATALENGTH([message])) END AS left_out
    FROM [journal] AS journal_row
    WHERE [ordering] = r.n) AS e OPTION (MAXDOP 1);

-- SqlServerJournalSql.RowsFrom
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN NULL ELSE [message] END AS [message], [identifier], [manifest], CASE WHEN CONVERT(INT, DATALENGTH([message])) > 1000 THEN CONVERT(INT, DATALENGTH([message])) END AS left_out
FROM [journal] AS journal_row
WHERE [ordering] >= @p1
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.TagColumns: as in 'default layout, tag table'

-- SqlServerJournalSql.TagTable: as in 'default layout, tag table'

-- SqlServerJournalSql.TaggedKeys.From: as in 'default layout, tag table'

-- SqlServerJournalSql.TaggedKeys.InGaps: as in 'default layout, tag table'

-- SqlServerJournalSql.Tags: as in 'default layout, tag table'

-- SqlServerJournalSql.TagsBetween: as in 'default layout, tag table'


-- == default layout, columns whose collation is known ==

-- SqlServerJournalSql.CreateTagIndex: as in 'default layout, tag table'

-- SqlServerJournalSql.FirstIds: as in 'default layout, tag table'

-- SqlServerJournalSql.FirstTagged: as in 'default layout, tag table'

-- SqlServerJournalSql.FromEnd: as in 'default layout, tag table'

-- SqlServerJournalSql.FromEndByTable
SELECT t.o, e.*, t.w
FROM (SELECT TOP (@p3) [ordering_id] AS o, [tag] AS w
    FROM [tags] AS tag_row
    WHERE [tag] = @p2 COLLATE SQL_Latin1_General_CP1_CI_AS
        AND [ordering_id] < @p1
    ORDER BY [ordering_id] DESC) AS t
OUTER APPLY (SELECT [deleted], [persistence_id]
    FROM [journal] AS journal_row
    WHERE [ordering] = t.o) AS e
ORDER BY t.o DESC OPTION (MAXDOP 1);

-- SqlServerJournalSql.Ids
WITH ids (id) AS (SELECT s.id
    FROM (SELECT TOP (1) [persistence_id] AS id
        FROM [journal] AS journal_row
        WHERE [persistence_id] > @p1 COLLATE SQL_Latin1_General_CP1_CI_AS
        ORDER BY [persistence_id]) AS s
    UNION ALL
    SELECT n.id
    FROM (SELECT journal_row.[persistence_id] AS id, ROW_NUMBER() OVER (ORDER BY journal_row.[persistence_id]) AS place
        FROM ids AS i
        JOIN [journal] AS journal_row ON journal_row.[persistence_id] > i.id) AS n
    WHERE n.place = 1)
SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END
FROM (SELECT TOP (@p2) i.id
    FROM ids AS i) AS i
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number]) AS f
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number] DESC) AS l
OUTER APPLY (SELECT TOP (1) 1 AS one
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
        AND [deleted] = 0
    ORDER BY [sequence_number] DESC) AS h
ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1);

-- SqlServerJournalSql.JournalColumns: as in 'default layout, tag table'

-- SqlServerJournalSql.JournalTable: as in 'default layout, tag table'

-- SqlServerJournalSql.Keys.From: as in 'default layout, tag table'

-- SqlServerJournalSql.Keys.InGaps: as in 'default layout, tag table'

-- SqlServerJournalSql.LastKey: as in 'default layout, tag table'

-- SqlServerJournalSql.Ordered: as in 'default layout, tag table'

-- SqlServerJournalSql.OrderedByColumn: as in 'default layout, tag table'

-- SqlServerJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT TOP (@p4) [ordering_id] AS o
    FROM [tags] AS tag_row
    WHERE [tag] = @p3 COLLATE SQL_Latin1_General_CP1_CI_AS
        AND [ordering_id] > @p1
        AND [ordering_id] <= @p2
    ORDER BY [ordering_id]) AS t
OUTER APPLY (SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
    FROM [journal] AS journal_row
    WHERE [ordering] = t.o) AS e
ORDER BY t.o OPTION (MAXDOP 1);

-- SqlServerJournalSql.Page
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [journal] AS journal_row
WHERE [persistence_id] = @p1 COLLATE SQL_Latin1_General_CP1_CI_AS
    AND [sequence_number] >= @p2
    AND [sequence_number] <= @p3
ORDER BY [sequence_number]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Pages
SELECT k.member, k.number, e.*
FROM (SELECT TOP (@p2) r.member, x.number, x.place
    FROM OPENJSON(@p1) WITH (member INT '$[0]', id NVARCHAR(4000) '$[1]', f BIGINT '$[2]', t BIGINT '$[3]', most INT '$[4]') AS r
    CROSS APPLY (SELECT TOP (r.most) [sequence_number] AS number, [ordering] AS place
        FROM [journal] AS journal_row
        WHERE [persistence_id] = r.id COLLATE SQL_Latin1_General_CP1_CI_AS
            AND [sequence_number] >= r.f
            AND [sequence_number] <= r.t
        ORDER BY [sequence_number]) AS x
    ORDER BY r.member, x.number) AS k
OUTER APPLY (SELECT TOP (1) [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
    FROM [journal] AS journal_row
    WHERE [ordering] = k.place) AS e
ORDER BY k.member, k.number OPTION (MAXDOP 1);

-- SqlServerJournalSql.Rows: as in 'default layout, tag table'

-- SqlServerJournalSql.RowsFrom: as in 'default layout, tag table'

-- SqlServerJournalSql.TagColumns: as in 'default layout, tag table'

-- SqlServerJournalSql.TagTable: as in 'default layout, tag table'

-- SqlServerJournalSql.TaggedKeys.From: as in 'default layout, tag table'

-- SqlServerJournalSql.TaggedKeys.InGaps: as in 'default layout, tag table'

-- SqlServerJournalSql.Tags: as in 'default layout, tag table'

-- SqlServerJournalSql.TagsBetween: as in 'default layout, tag table'


-- == default layout, columns of varchar ==

-- SqlServerJournalSql.CreateTagIndex: as in 'default layout, tag table'

-- SqlServerJournalSql.FirstIds: as in 'default layout, tag table'

-- SqlServerJournalSql.FirstTagged: as in 'default layout, tag table'

-- SqlServerJournalSql.FromEnd: as in 'default layout, tag table'

-- SqlServerJournalSql.FromEndByTable
SELECT t.o, e.*, t.w
FROM (SELECT TOP (@p3) [ordering_id] AS o, [tag] AS w
    FROM [tags] AS tag_row
    WHERE [tag] = CONVERT(VARCHAR(8000), @p2 COLLATE SQL_Latin1_General_CP1_CI_AS)
        AND [ordering_id] < @p1
    ORDER BY [ordering_id] DESC) AS t
OUTER APPLY (SELECT [deleted], [persistence_id]
    FROM [journal] AS journal_row
    WHERE [ordering] = t.o) AS e
ORDER BY t.o DESC OPTION (MAXDOP 1);

-- SqlServerJournalSql.Ids
WITH ids (id) AS (SELECT s.id
    FROM (SELECT TOP (1) [persistence_id] AS id
        FROM [journal] AS journal_row
        WHERE [persistence_id] > CONVERT(VARCHAR(8000), @p1 COLLATE SQL_Latin1_General_CP1_CI_AS)
        ORDER BY [persistence_id]) AS s
    UNION ALL
    SELECT n.id
    FROM (SELECT journal_row.[persistence_id] AS id, ROW_NUMBER() OVER (ORDER BY journal_row.[persistence_id]) AS place
        FROM ids AS i
        JOIN [journal] AS journal_row ON journal_row.[persistence_id] > i.id) AS n
    WHERE n.place = 1)
SELECT f.id, l.id, CASE WHEN h.one IS NULL THEN 0 ELSE 1 END
FROM (SELECT TOP (@p2) i.id
    FROM ids AS i) AS i
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number]) AS f
CROSS APPLY (SELECT TOP (1) [persistence_id] AS id
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
    ORDER BY [sequence_number] DESC) AS l
OUTER APPLY (SELECT TOP (1) 1 AS one
    FROM [journal] AS journal_row
    WHERE [persistence_id] = i.id
        AND [deleted] = 0
    ORDER BY [sequence_number] DESC) AS h
ORDER BY i.id OPTION (MAXRECURSION 0, MAXDOP 1);

-- SqlServerJournalSql.JournalColumns: as in 'default layout, tag table'

-- SqlServerJournalSql.JournalTable: as in 'default layout, tag table'

-- SqlServerJournalSql.Keys.From: as in 'default layout, tag table'

-- SqlServerJournalSql.Keys.InGaps: as in 'default layout, tag table'

-- SqlServerJournalSql.LastKey: as in 'default layout, tag table'

-- SqlServerJournalSql.Ordered: as in 'default layout, tag table'

-- SqlServerJournalSql.OrderedByColumn
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [journal] AS journal_row
WHERE [ordering] > @p1
    AND [ordering] <= @p2
    AND CONVERT(NVARCHAR(MAX), [tags]) <> N''
    AND EXISTS (SELECT 1
        FROM OPENJSON(@p3) WITH (tag NVARCHAR(4000) '$') AS w
        WHERE CHARINDEX(w.tag COLLATE Latin1_General_BIN2, CONVERT(NVARCHAR(MAX), [tags]) COLLATE Latin1_General_BIN2) > 0)
ORDER BY [ordering]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT TOP (@p4) [ordering_id] AS o
    FROM [tags] AS tag_row
    WHERE [tag] = CONVERT(VARCHAR(8000), @p3 COLLATE SQL_Latin1_General_CP1_CI_AS)
        AND [ordering_id] > @p1
        AND [ordering_id] <= @p2
    ORDER BY [ordering_id]) AS t
OUTER APPLY (SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
    FROM [journal] AS journal_row
    WHERE [ordering] = t.o) AS e
ORDER BY t.o OPTION (MAXDOP 1);

-- SqlServerJournalSql.Page
SELECT [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
FROM [journal] AS journal_row
WHERE [persistence_id] = CONVERT(VARCHAR(8000), @p1 COLLATE SQL_Latin1_General_CP1_CI_AS)
    AND [sequence_number] >= @p2
    AND [sequence_number] <= @p3
ORDER BY [sequence_number]
OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY OPTION (MAXDOP 1);

-- SqlServerJournalSql.Pages
SELECT k.member, k.number, e.*
FROM (SELECT TOP (@p2) r.member, x.number, x.place
    FROM OPENJSON(@p1) WITH (member INT '$[0]', id NVARCHAR(4000) '$[1]', f BIGINT '$[2]', t BIGINT '$[3]', most INT '$[4]') AS r
    CROSS APPLY (SELECT TOP (r.most) [sequence_number] AS number, [ordering] AS place
        FROM [journal] AS journal_row
        WHERE [persistence_id] = CONVERT(VARCHAR(8000), r.id COLLATE SQL_Latin1_General_CP1_CI_AS)
            AND [sequence_number] >= r.f
            AND [sequence_number] <= r.t
        ORDER BY [sequence_number]) AS x
    ORDER BY r.member, x.number) AS k
OUTER APPLY (SELECT TOP (1) [ordering], [deleted], [persistence_id], [sequence_number], [created], [message], [identifier], [manifest]
    FROM [journal] AS journal_row
    WHERE [ordering] = k.place) AS e
ORDER BY k.member, k.number OPTION (MAXDOP 1);

-- SqlServerJournalSql.Rows: as in 'default layout, tag table'

-- SqlServerJournalSql.RowsFrom: as in 'default layout, tag table'

-- SqlServerJournalSql.TagColumns: as in 'default layout, tag table'

-- SqlServerJournalSql.TagTable: as in 'default layout, tag table'

-- SqlServerJournalSql.TaggedKeys.From: as in 'default layout, tag table'

-- SqlServerJournalSql.TaggedKeys.InGaps: as in 'default layout, tag table'

-- SqlServerJournalSql.Tags: as in 'default layout, tag table'

-- SqlServerJournalSql.TagsBetween: as in 'default layout, tag table'
