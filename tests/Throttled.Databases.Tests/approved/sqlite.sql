-- What Throttled runs on SQLite, laid out in lines. Written by a test; accepted with THROTTLED_ACCEPT_SQL=1.


-- == whatever the tables ==

-- SqliteSession.FirstRead
SELECT 1
FROM sqlite_schema
LIMIT 1;

-- SqliteSession.QueryOnly
PRAGMA query_only = 1;

-- SqliteAppender.CacheSize
PRAGMA cache_size = -65536;

-- SqliteAppender.Checkpoints
PRAGMA wal_autocheckpoint = 8000;

-- SqliteAppender.Synchronous
PRAGMA synchronous = NORMAL;

-- SqliteAppender.WriteAhead
PRAGMA journal_mode = WAL;

-- SqliteJournalSql.JournalMode
PRAGMA journal_mode;

-- SqliteNumbering.CreateText
SELECT sql
FROM sqlite_schema
WHERE type = 'table'
    AND name = ?1 COLLATE NOCASE;

-- SqliteNumbering.Sequence
SELECT seq
FROM sqlite_sequence
WHERE name = ?1 COLLATE NOCASE;

-- SqliteTagIndex.Find
SELECT 1 FROM pragma_index_list(?1) AS each
WHERE each.partial = 0
    AND EXISTS (SELECT 1 FROM pragma_index_xinfo(each.name) WHERE seqno = 0 AND name = ?2 COLLATE NOCASE)
    AND EXISTS (SELECT 1 FROM pragma_index_xinfo(each.name) WHERE seqno = 1 AND name = ?3 COLLATE NOCASE);


-- == default layout, tag table ==

-- SqliteJournalSql.FirstIds
WITH RECURSIVE persistence_ids(id) AS (
    SELECT MIN("persistence_id") FROM "journal" AS journal_row WHERE "persistence_id" >= '' AND "persistence_id" < x''
    UNION ALL
    SELECT (SELECT MIN("persistence_id") FROM "journal" AS journal_row
        WHERE "persistence_id" > persistence_ids.id AND "persistence_id" < x'')
    FROM persistence_ids WHERE persistence_ids.id IS NOT NULL)
SELECT id, EXISTS (
    SELECT 1 FROM "journal" AS journal_row WHERE "persistence_id" = persistence_ids.id AND "deleted" = 0)
FROM persistence_ids WHERE id IS NOT NULL;

-- SqliteJournalSql.FirstTagged
SELECT MIN("ordering_id")
FROM "tags" AS tag_row;

-- SqliteJournalSql.FromEnd
SELECT "ordering", "deleted", "persistence_id"
FROM "journal" AS journal_row
WHERE "ordering" < ?1
ORDER BY "ordering" DESC
LIMIT ?2;

-- SqliteJournalSql.IdsAfter
WITH RECURSIVE persistence_ids(id) AS (
    SELECT MIN("persistence_id") FROM "journal" AS journal_row WHERE "persistence_id" > ?1 AND "persistence_id" < x''
    UNION ALL
    SELECT (SELECT MIN("persistence_id") FROM "journal" AS journal_row
        WHERE "persistence_id" > persistence_ids.id AND "persistence_id" < x'')
    FROM persistence_ids WHERE persistence_ids.id IS NOT NULL)
SELECT id, EXISTS (
    SELECT 1 FROM "journal" AS journal_row WHERE "persistence_id" = persistence_ids.id AND "deleted" = 0)
FROM persistence_ids WHERE id IS NOT NULL;

-- SqliteJournalSql.JournalColumns
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "journal" AS journal_row
LIMIT 0;

-- SqliteJournalSql.JournalMode: as in 'whatever the tables'

-- SqliteJournalSql.KeysFrom
SELECT "ordering", "persistence_id", "sequence_number"
FROM "journal" AS journal_row
WHERE "ordering" >= ?1
ORDER BY "ordering"
LIMIT ?2;

-- SqliteJournalSql.KeysFromWithTags
SELECT "ordering", "persistence_id", "sequence_number", "tags"
FROM "journal" AS journal_row
WHERE "ordering" >= ?1
ORDER BY "ordering"
LIMIT ?2;

-- SqliteJournalSql.LastKey
SELECT "ordering", "persistence_id", "sequence_number"
FROM "journal" AS journal_row
ORDER BY "ordering" DESC
LIMIT 1;

-- SqliteJournalSql.Ordered
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "journal" AS journal_row
WHERE "ordering" > ?1
    AND "ordering" <= ?2
ORDER BY "ordering";

-- SqliteJournalSql.OrderedWithTag
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "journal" AS journal_row
WHERE "ordering" > ?1
    AND "ordering" <= ?2
    AND instr("tags", ?3)
ORDER BY "ordering";

-- SqliteJournalSql.Page
SELECT "ordering", "deleted", NULL, "sequence_number", "created", "message", "identifier", "manifest"
FROM "journal" AS journal_row
WHERE "persistence_id" = ?1
    AND "persistence_id" = ?1 COLLATE BINARY
    AND "sequence_number" >= ?2
    AND "sequence_number" <= ?3
ORDER BY "sequence_number"
LIMIT ?4;

-- SqliteJournalSql.Row
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "journal" AS journal_row
WHERE "ordering" = ?1;

-- SqliteJournalSql.RowsFrom
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "journal" AS journal_row
WHERE "ordering" >= ?1
ORDER BY "ordering"
LIMIT ?2;

-- SqliteJournalSql.TagColumns
SELECT "tag", "ordering_id"
FROM "tags" AS tag_row
LIMIT 0;

-- SqliteJournalSql.TaggedOrderings
SELECT DISTINCT "ordering_id"
FROM "tags" AS tag_row
WHERE likelihood("tag" = ?3, 0.5)
    AND "ordering_id" > ?1
    AND "ordering_id" <= ?2
ORDER BY "ordering_id"
LIMIT ?4;

-- SqliteJournalSql.TaggedOrderingsFromEnd
SELECT "ordering_id", "tag"
FROM "tags" AS tag_row
WHERE likelihood("tag" = ?2, 0.5)
    AND "ordering_id" < ?1
ORDER BY "ordering_id" DESC
LIMIT ?3;

-- SqliteJournalSql.TagsBetween
SELECT "ordering_id", "tag"
FROM "tags" AS tag_row
WHERE "ordering_id" >= ?1
    AND "ordering_id" <= ?2;

-- SqliteJournalSql.TagsOfRow
SELECT "tag"
FROM "tags" AS tag_row
WHERE "ordering_id" = ?1;

-- ShardMarkSql.AnyEvent
SELECT 1
FROM "journal" AS journal_row
ORDER BY "ordering"
LIMIT 1;

-- ShardMarkSql.Create
CREATE TABLE IF NOT EXISTS "throttled_shards" (journal_table VARCHAR(255) NOT NULL PRIMARY KEY, shard INTEGER NOT NULL, slices TEXT NOT NULL);

-- ShardMarkSql.Journal
"journal";

-- ShardMarkSql.Read
SELECT shard, slices
FROM "throttled_shards"
WHERE journal_table = ?1;

-- ShardMarkSql.Table
"throttled_shards";

-- ShardMarkSql.Write
INSERT INTO "throttled_shards" (journal_table, shard, slices)
VALUES (?1, ?2, ?3);

-- SqliteSchema.Create, 1
CREATE TABLE IF NOT EXISTS "journal" (
    "ordering" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "deleted" INTEGER NOT NULL,
    "persistence_id" NVARCHAR(255) NOT NULL,
    "sequence_number" BIGINT NOT NULL,
    "created" BIGINT NOT NULL,
    "message" BLOB NOT NULL,
    "identifier" INTEGER NULL,
    "manifest" NVARCHAR(500) NULL,
    "writer_uuid" NVARCHAR(128) NULL, UNIQUE ("persistence_id", "sequence_number"));

-- SqliteSchema.Create, 2
CREATE TABLE IF NOT EXISTS "tags" (
    "ordering_id" BIGINT NOT NULL,
    "tag" NVARCHAR(64) NOT NULL,
    "sequence_nr" BIGINT NOT NULL,
    "persistence_id" NVARCHAR(255) NOT NULL,
    PRIMARY KEY ("ordering_id", "tag")) WITHOUT ROWID;

-- SqliteSchema.Create, 3
CREATE INDEX IF NOT EXISTS "tags_tag_ordering_idx" ON "tags" ("tag", "ordering_id");

-- SqliteSchema.InsertEvent
INSERT INTO "journal" ("deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest", "writer_uuid")
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- SqliteSchema.InsertTag
INSERT OR IGNORE INTO "tags" ("ordering_id", "tag", "sequence_nr", "persistence_id")
VALUES (?1, ?2, ?3, ?4);


-- == layout of Akka.Persistence.Sqlite, tags in a column ==

-- SqliteJournalSql.FirstIds
WITH RECURSIVE persistence_ids(id) AS (
    SELECT MIN("persistence_id") FROM "event_journal" AS journal_row WHERE "persistence_id" >= '' AND "persistence_id" < x''
    UNION ALL
    SELECT (SELECT MIN("persistence_id") FROM "event_journal" AS journal_row
        WHERE "persistence_id" > persistence_ids.id AND "persistence_id" < x'')
    FROM persistence_ids WHERE persistence_ids.id IS NOT NULL)
SELECT id, EXISTS (
    SELECT 1 FROM "event_journal" AS journal_row WHERE "persistence_id" = persistence_ids.id AND "is_deleted" = 0)
FROM persistence_ids WHERE id IS NOT NULL;

-- SqliteJournalSql.FirstTagged: as in 'default layout, tag table'

-- SqliteJournalSql.FromEnd
SELECT "ordering", "is_deleted", "persistence_id", "tags"
FROM "event_journal" AS journal_row
WHERE "ordering" < ?1
ORDER BY "ordering" DESC
LIMIT ?2;

-- SqliteJournalSql.IdsAfter
WITH RECURSIVE persistence_ids(id) AS (
    SELECT MIN("persistence_id") FROM "event_journal" AS journal_row WHERE "persistence_id" > ?1 AND "persistence_id" < x''
    UNION ALL
    SELECT (SELECT MIN("persistence_id") FROM "event_journal" AS journal_row
        WHERE "persistence_id" > persistence_ids.id AND "persistence_id" < x'')
    FROM persistence_ids WHERE persistence_ids.id IS NOT NULL)
SELECT id, EXISTS (
    SELECT 1 FROM "event_journal" AS journal_row WHERE "persistence_id" = persistence_ids.id AND "is_deleted" = 0)
FROM persistence_ids WHERE id IS NOT NULL;

-- SqliteJournalSql.JournalColumns
SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "timestamp", "payload", "serializer_id", "manifest", "tags"
FROM "event_journal" AS journal_row
LIMIT 0;

-- SqliteJournalSql.JournalMode: as in 'whatever the tables'

-- SqliteJournalSql.KeysFrom
SELECT "ordering", "persistence_id", "sequence_nr"
FROM "event_journal" AS journal_row
WHERE "ordering" >= ?1
ORDER BY "ordering"
LIMIT ?2;

-- SqliteJournalSql.KeysFromWithTags
SELECT "ordering", "persistence_id", "sequence_nr", "tags"
FROM "event_journal" AS journal_row
WHERE "ordering" >= ?1
ORDER BY "ordering"
LIMIT ?2;

-- SqliteJournalSql.LastKey
SELECT "ordering", "persistence_id", "sequence_nr"
FROM "event_journal" AS journal_row
ORDER BY "ordering" DESC
LIMIT 1;

-- SqliteJournalSql.Ordered
SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "timestamp", "payload", "serializer_id", "manifest", "tags"
FROM "event_journal" AS journal_row
WHERE "ordering" > ?1
    AND "ordering" <= ?2
ORDER BY "ordering";

-- SqliteJournalSql.OrderedWithTag
SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "timestamp", "payload", "serializer_id", "manifest", "tags"
FROM "event_journal" AS journal_row
WHERE "ordering" > ?1
    AND "ordering" <= ?2
    AND instr("tags", ?3)
ORDER BY "ordering";

-- SqliteJournalSql.Page
SELECT "ordering", "is_deleted", NULL, "sequence_nr", "timestamp", "payload", "serializer_id", "manifest", "tags"
FROM "event_journal" AS journal_row
WHERE "persistence_id" = ?1
    AND "persistence_id" = ?1 COLLATE BINARY
    AND "sequence_nr" >= ?2
    AND "sequence_nr" <= ?3
ORDER BY "sequence_nr"
LIMIT ?4;

-- SqliteJournalSql.Row
SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "timestamp", "payload", "serializer_id", "manifest", "tags"
FROM "event_journal" AS journal_row
WHERE "ordering" = ?1;

-- SqliteJournalSql.RowsFrom
SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "timestamp", "payload", "serializer_id", "manifest", "tags"
FROM "event_journal" AS journal_row
WHERE "ordering" >= ?1
ORDER BY "ordering"
LIMIT ?2;

-- SqliteJournalSql.TagColumns: as in 'default layout, tag table'

-- SqliteJournalSql.TaggedOrderings: as in 'default layout, tag table'

-- SqliteJournalSql.TaggedOrderingsFromEnd: as in 'default layout, tag table'

-- SqliteJournalSql.TagsBetween: as in 'default layout, tag table'

-- SqliteJournalSql.TagsOfRow: as in 'default layout, tag table'

-- ShardMarkSql.AnyEvent
SELECT 1
FROM "event_journal" AS journal_row
ORDER BY "ordering"
LIMIT 1;

-- ShardMarkSql.Create: as in 'default layout, tag table'

-- ShardMarkSql.Journal
"event_journal";

-- ShardMarkSql.Read: as in 'default layout, tag table'

-- ShardMarkSql.Table: as in 'default layout, tag table'

-- ShardMarkSql.Write: as in 'default layout, tag table'

-- SqliteSchema.Create, 1
CREATE TABLE IF NOT EXISTS "event_journal" (
    "ordering" INTEGER NOT NULL PRIMARY KEY,
    "is_deleted" INTEGER NOT NULL,
    "persistence_id" NVARCHAR(255) NOT NULL,
    "sequence_nr" BIGINT NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "payload" BLOB NOT NULL,
    "serializer_id" INTEGER NULL,
    "manifest" NVARCHAR(500) NULL,
    "tags" NVARCHAR(2000) NULL, UNIQUE ("persistence_id", "sequence_nr"));

-- SqliteSchema.InsertEvent
INSERT INTO "event_journal" ("is_deleted", "persistence_id", "sequence_nr", "timestamp", "payload", "serializer_id", "manifest", "tags")
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);


-- == odd names ==

-- SqliteJournalSql.FirstIds
WITH RECURSIVE persistence_ids(id) AS (
    SELECT MIN("the id's") FROM "order by" AS journal_row WHERE "the id's" >= '' AND "the id's" < x''
    UNION ALL
    SELECT (SELECT MIN("the id's") FROM "order by" AS journal_row
        WHERE "the id's" > persistence_ids.id AND "the id's" < x'')
    FROM persistence_ids WHERE persistence_ids.id IS NOT NULL)
SELECT id, EXISTS (
    SELECT 1 FROM "order by" AS journal_row WHERE "the id's" = persistence_ids.id AND "is [deleted]" = 0)
FROM persistence_ids WHERE id IS NOT NULL;

-- SqliteJournalSql.FirstTagged
SELECT MIN("?1")
FROM "tag""s" AS tag_row;

-- SqliteJournalSql.FromEnd
SELECT "select", "is [deleted]", "the id's"
FROM "order by" AS journal_row
WHERE "select" < ?1
ORDER BY "select" DESC
LIMIT ?2;

-- SqliteJournalSql.IdsAfter
WITH RECURSIVE persistence_ids(id) AS (
    SELECT MIN("the id's") FROM "order by" AS journal_row WHERE "the id's" > ?1 AND "the id's" < x''
    UNION ALL
    SELECT (SELECT MIN("the id's") FROM "order by" AS journal_row
        WHERE "the id's" > persistence_ids.id AND "the id's" < x'')
    FROM persistence_ids WHERE persistence_ids.id IS NOT NULL)
SELECT id, EXISTS (
    SELECT 1 FROM "order by" AS journal_row WHERE "the id's" = persistence_ids.id AND "is [deleted]" = 0)
FROM persistence_ids WHERE id IS NOT NULL;

-- SqliteJournalSql.JournalColumns
SELECT "select", "is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`"
FROM "order by" AS journal_row
LIMIT 0;

-- SqliteJournalSql.JournalMode: as in 'whatever the tables'

-- SqliteJournalSql.KeysFrom
SELECT "select", "the id's", "Sequence Number"
FROM "order by" AS journal_row
WHERE "select" >= ?1
ORDER BY "select"
LIMIT ?2;

-- SqliteJournalSql.KeysFromWithTags
SELECT "select", "the id's", "Sequence Number", "tags"
FROM "order by" AS journal_row
WHERE "select" >= ?1
ORDER BY "select"
LIMIT ?2;

-- SqliteJournalSql.LastKey
SELECT "select", "the id's", "Sequence Number"
FROM "order by" AS journal_row
ORDER BY "select" DESC
LIMIT 1;

-- SqliteJournalSql.Ordered
SELECT "select", "is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`"
FROM "order by" AS journal_row
WHERE "select" > ?1
    AND "select" <= ?2
ORDER BY "select";

-- SqliteJournalSql.OrderedWithTag
SELECT "select", "is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`"
FROM "order by" AS journal_row
WHERE "select" > ?1
    AND "select" <= ?2
    AND instr("tags", ?3)
ORDER BY "select";

-- SqliteJournalSql.Page
SELECT "select", "is [deleted]", NULL, "Sequence Number", "from", "payload]", "--", "`manifest`"
FROM "order by" AS journal_row
WHERE "the id's" = ?1
    AND "the id's" = ?1 COLLATE BINARY
    AND "Sequence Number" >= ?2
    AND "Sequence Number" <= ?3
ORDER BY "Sequence Number"
LIMIT ?4;

-- SqliteJournalSql.Row
SELECT "select", "is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`"
FROM "order by" AS journal_row
WHERE "select" = ?1;

-- SqliteJournalSql.RowsFrom
SELECT "select", "is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`"
FROM "order by" AS journal_row
WHERE "select" >= ?1
ORDER BY "select"
LIMIT ?2;

-- SqliteJournalSql.TagColumns
SELECT "tag;", "?1"
FROM "tag""s" AS tag_row
LIMIT 0;

-- SqliteJournalSql.TaggedOrderings
SELECT DISTINCT "?1"
FROM "tag""s" AS tag_row
WHERE likelihood("tag;" = ?3, 0.5)
    AND "?1" > ?1
    AND "?1" <= ?2
ORDER BY "?1"
LIMIT ?4;

-- SqliteJournalSql.TaggedOrderingsFromEnd
SELECT "?1", "tag;"
FROM "tag""s" AS tag_row
WHERE likelihood("tag;" = ?2, 0.5)
    AND "?1" < ?1
ORDER BY "?1" DESC
LIMIT ?3;

-- SqliteJournalSql.TagsBetween
SELECT "?1", "tag;"
FROM "tag""s" AS tag_row
WHERE "?1" >= ?1
    AND "?1" <= ?2;

-- SqliteJournalSql.TagsOfRow
SELECT "tag;"
FROM "tag""s" AS tag_row
WHERE "?1" = ?1;

-- ShardMarkSql.AnyEvent
SELECT 1
FROM "order by" AS journal_row
ORDER BY "select"
LIMIT 1;

-- ShardMarkSql.Create: as in 'default layout, tag table'

-- ShardMarkSql.Journal
"order by";

-- ShardMarkSql.Read: as in 'default layout, tag table'

-- ShardMarkSql.Table: as in 'default layout, tag table'

-- ShardMarkSql.Write: as in 'default layout, tag table'

-- SqliteSchema.Create, 1
CREATE TABLE IF NOT EXISTS "order by" (
    "select" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "is [deleted]" INTEGER NOT NULL,
    "the id's" NVARCHAR(255) NOT NULL,
    "Sequence Number" BIGINT NOT NULL,
    "from" BIGINT NOT NULL,
    "payload]" BLOB NOT NULL,
    "--" INTEGER NULL,
    "`manifest`" NVARCHAR(500) NULL,
    "$1" NVARCHAR(128) NULL, UNIQUE ("the id's", "Sequence Number"));

-- SqliteSchema.Create, 2
CREATE TABLE IF NOT EXISTS "tag""s" (
    "?1" BIGINT NOT NULL,
    "tag;" NVARCHAR(64) NOT NULL,
    "@p1" BIGINT NOT NULL,
    "Größe" NVARCHAR(255) NOT NULL,
    PRIMARY KEY ("?1", "tag;")) WITHOUT ROWID;

-- SqliteSchema.Create, 3
CREATE INDEX IF NOT EXISTS "tag""s_tag_ordering_idx" ON "tag""s" ("tag;", "?1");

-- SqliteSchema.InsertEvent
INSERT INTO "order by" ("is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`", "$1")
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- SqliteSchema.InsertTag
INSERT OR IGNORE INTO "tag""s" ("?1", "tag;", "@p1", "Größe")
VALUES (?1, ?2, ?3, ?4);


-- == a table with the name of a list ==

-- SqliteJournalSql.FirstIds
WITH RECURSIVE their_ids(id) AS (
    SELECT MIN("persistence_id") FROM "Persistence_Ids" AS journal_row WHERE "persistence_id" >= '' AND "persistence_id" < x''
    UNION ALL
    SELECT (SELECT MIN("persistence_id") FROM "Persistence_Ids" AS journal_row
        WHERE "persistence_id" > their_ids.id AND "persistence_id" < x'')
    FROM their_ids WHERE their_ids.id IS NOT NULL)
SELECT id, EXISTS (
    SELECT 1 FROM "Persistence_Ids" AS journal_row WHERE "persistence_id" = their_ids.id AND "deleted" = 0)
FROM their_ids WHERE id IS NOT NULL;

-- SqliteJournalSql.FirstTagged: as in 'default layout, tag table'

-- SqliteJournalSql.FromEnd
SELECT "ordering", "deleted", "persistence_id"
FROM "Persistence_Ids" AS journal_row
WHERE "ordering" < ?1
ORDER BY "ordering" DESC
LIMIT ?2;

-- SqliteJournalSql.IdsAfter
WITH RECURSIVE their_ids(id) AS (
    SELECT MIN("persistence_id") FROM "Persistence_Ids" AS journal_row WHERE "persistence_id" > ?1 AND "persistence_id" < x''
    UNION ALL
    SELECT (SELECT MIN("persistence_id") FROM "Persistence_Ids" AS journal_row
        WHERE "persistence_id" > their_ids.id AND "persistence_id" < x'')
    FROM their_ids WHERE their_ids.id IS NOT NULL)
SELECT id, EXISTS (
    SELECT 1 FROM "Persistence_Ids" AS journal_row WHERE "persistence_id" = their_ids.id AND "deleted" = 0)
FROM their_ids WHERE id IS NOT NULL;

-- SqliteJournalSql.JournalColumns
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "Persistence_Ids" AS journal_row
LIMIT 0;

-- SqliteJournalSql.JournalMode: as in 'whatever the tables'

-- SqliteJournalSql.KeysFrom
SELECT "ordering", "persistence_id", "sequence_number"
FROM "Persistence_Ids" AS journal_row
WHERE "ordering" >= ?1
ORDER BY "ordering"
LIMIT ?2;

-- SqliteJournalSql.KeysFromWithTags
SELECT "ordering", "persistence_id", "sequence_number", "tags"
FROM "Persistence_Ids" AS journal_row
WHERE "ordering" >= ?1
ORDER BY "ordering"
LIMIT ?2;

-- SqliteJournalSql.LastKey
SELECT "ordering", "persistence_id", "sequence_number"
FROM "Persistence_Ids" AS journal_row
ORDER BY "ordering" DESC
LIMIT 1;

-- SqliteJournalSql.Ordered
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "Persistence_Ids" AS journal_row
WHERE "ordering" > ?1
    AND "ordering" <= ?2
ORDER BY "ordering";

-- SqliteJournalSql.OrderedWithTag
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "Persistence_Ids" AS journal_row
WHERE "ordering" > ?1
    AND "ordering" <= ?2
    AND instr("tags", ?3)
ORDER BY "ordering";

-- SqliteJournalSql.Page
SELECT "ordering", "deleted", NULL, "sequence_number", "created", "message", "identifier", "manifest"
FROM "Persistence_Ids" AS journal_row
WHERE "persistence_id" = ?1
    AND "persistence_id" = ?1 COLLATE BINARY
    AND "sequence_number" >= ?2
    AND "sequence_number" <= ?3
ORDER BY "sequence_number"
LIMIT ?4;

-- SqliteJournalSql.Row
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "Persistence_Ids" AS journal_row
WHERE "ordering" = ?1;

-- SqliteJournalSql.RowsFrom
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "Persistence_Ids" AS journal_row
WHERE "ordering" >= ?1
ORDER BY "ordering"
LIMIT ?2;

-- SqliteJournalSql.TagColumns: as in 'default layout, tag table'

-- SqliteJournalSql.TaggedOrderings: as in 'default layout, tag table'

-- SqliteJournalSql.TaggedOrderingsFromEnd: as in 'default layout, tag table'

-- SqliteJournalSql.TagsBetween: as in 'default layout, tag table'

-- SqliteJournalSql.TagsOfRow: as in 'default layout, tag table'

-- ShardMarkSql.AnyEvent
SELECT 1
FROM "Persistence_Ids" AS journal_row
ORDER BY "ordering"
LIMIT 1;

-- ShardMarkSql.Create: as in 'default layout, tag table'

-- ShardMarkSql.Journal
"Persistence_Ids";

-- ShardMarkSql.Read: as in 'default layout, tag table'

-- ShardMarkSql.Table: as in 'default layout, tag table'

-- ShardMarkSql.Write: as in 'default layout, tag table'

-- SqliteSchema.Create, 1
CREATE TABLE IF NOT EXISTS "Persistence_Ids" (
    "ordering" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "deleted" INTEGER NOT NULL,
    "persistence_id" NVARCHAR(255) NOT NULL,
    "sequence_number" BIGINT NOT NULL,
    "created" BIGINT NOT NULL,
    "message" BLOB NOT NULL,
    "identifier" INTEGER NULL,
    "manifest" NVARCHAR(500) NULL,
    "writer_uuid" NVARCHAR(128) NULL, UNIQUE ("persistence_id", "sequence_number"));

-- SqliteSchema.Create, 2: as in 'default layout, tag table'

-- SqliteSchema.Create, 3: as in 'default layout, tag table'

-- SqliteSchema.InsertEvent
INSERT INTO "Persistence_Ids" ("deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest", "writer_uuid")
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- SqliteSchema.InsertTag: as in 'default layout, tag table'


-- == default layout, payloads above 1,000 bytes left out ==

-- SqliteJournalSql.FirstIds: as in 'default layout, tag table'

-- SqliteJournalSql.FirstTagged: as in 'default layout, tag table'

-- SqliteJournalSql.FromEnd: as in 'default layout, tag table'

-- SqliteJournalSql.IdsAfter: as in 'default layout, tag table'

-- SqliteJournalSql.JournalColumns
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", "identifier", "manifest", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
FROM "journal" AS journal_row
LIMIT 0;

-- SqliteJournalSql.JournalMode: as in 'whatever the tables'

-- SqliteJournalSql.KeysFrom: as in 'default layout, tag table'

-- SqliteJournalSql.KeysFromWithTags: as in 'default layout, tag table'

-- SqliteJournalSql.LastKey: as in 'default layout, tag table'

-- SqliteJournalSql.Ordered
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", "identifier", "manifest", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
FROM "journal" AS journal_row
WHERE "ordering" > ?1
    AND "ordering" <= ?2
ORDER BY "ordering";

-- SqliteJournalSql.OrderedWithTag
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", "identifier", "manifest", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
FROM "journal" AS journal_row
WHERE "ordering" > ?1
    AND "ordering" <= ?2
    AND instr("tags", ?3)
ORDER BY "ordering";

-- SqliteJournalSql.Page
SELECT "ordering", "deleted", NULL, "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", "identifier", "manifest", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
FROM "journal" AS journal_row
WHERE "persistence_id" = ?1
    AND "persistence_id" = ?1 COLLATE BINARY
    AND "sequence_number" >= ?2
    AND "sequence_number" <= ?3
ORDER BY "sequence_number"
LIMIT ?4;

-- SqliteJournalSql.Row
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", "identifier", "manifest", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
FROM "journal" AS journal_row
WHERE "ordering" = ?1;

-- SqliteJournalSql.RowsFrom
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", "identifier", "manifest", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
FROM "journal" AS journal_row
WHERE "ordering" >= ?1
ORDER BY "ordering"
LIMIT ?2;

-- SqliteJournalSql.TagColumns: as in 'default layout, tag table'

-- SqliteJournalSql.TaggedOrderings: as in 'default layout, tag table'

-- SqliteJournalSql.TaggedOrderingsFromEnd: as in 'default layout, tag table'

-- SqliteJournalSql.TagsBetween: as in 'default layout, tag table'

-- SqliteJournalSql.TagsOfRow: as in 'default layout, tag table'
