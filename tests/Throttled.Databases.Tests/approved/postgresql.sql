-- What Throttled runs on PostgreSQL, laid out in lines. Written by a test; accepted with THROTTLED_ACCEPT_SQL=1.


-- == whatever the tables ==

-- PostgreSqlSessionSetup.Settings
SELECT (SELECT pid || '/' || (extract(epoch FROM backend_start) * 1000000)::bigint FROM pg_stat_get_activity(pg_backend_pid())), (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint::text, coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a socket'), coalesce((extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()) * 1000000)::bigint::text, ''), pg_backend_pid() = $4,
    CASE WHEN pg_backend_pid() = $4 THEN ARRAY[
    set_config('statement_timeout', '30000', false),
    set_config('plan_cache_mode', 'force_custom_plan', false),
    set_config('enable_bitmapscan', 'off', false),
    set_config('enable_sort', CASE WHEN NOT (SELECT NOT EXISTS (SELECT FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam WHERE x.indrelid = t.oid AND x.indisvalid AND x.indpred IS NULL AND m.amname = 'btree' AND x.indnkeyatts >= 2 AND x.indkey[0] = (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = $2) AND x.indkey[1] = (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = $3)) FROM pg_class t WHERE t.oid = to_regclass($1) AND t.relkind IN ('r', 'p')) THEN 'off' ELSE 'on' END, false),
    set_config('client_encoding', CASE current_setting('server_encoding') WHEN 'SQL_ASCII' THEN 'SQL_ASCII' ELSE current_setting('client_encoding') END, false),
    set_config('jit', 'off', false),
    set_config('max_parallel_workers_per_gather', '0', false),
    set_config('default_transaction_isolation', 'read committed', false)] END;

-- PostgreSqlSessionSetup.CheckConnection
SET client_connection_check_interval = '2s';

-- PostgreSqlSession.Limit
SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint::text, coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a socket'), set_config('statement_timeout', '30000', true), set_config('enable_bitmapscan', 'off', true);

-- PostgreSqlSession.Reset
RESET ALL;

-- PostgreSqlListener.Listen
LISTEN throttled_journal;

-- PostgreSqlCatalogSql.Cancel
SELECT pg_cancel_backend(pid)
FROM pg_stat_activity
WHERE pid || '/' || (extract(epoch FROM backend_start) * 1000000)::bigint = ANY($1);

-- PostgreSqlCatalogSql.ColumnType
SELECT coalesce(nullif(t.typbasetype, 0), t.oid)::regtype::text
FROM pg_attribute a
JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = to_regclass($1)
    AND a.attname = $2
    AND NOT a.attisdropped;

-- PostgreSqlCatalogSql.FromSequence
FROM (SELECT (SELECT CASE WHEN a.attidentity <> '' OR NOT a.atthasdef THEN to_regclass(pg_get_serial_sequence($1, $2))::oid ELSE (SELECT CASE WHEN count(DISTINCT c.oid) = 1 THEN min(c.oid) END
            FROM pg_attrdef f
            JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass
                AND d.objid = f.oid
                AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class c ON c.oid = d.refobjid
                AND c.relkind = 'S'
            WHERE f.adrelid = a.attrelid
                AND f.adnum = a.attnum) END
        FROM pg_attribute a
        WHERE a.attrelid = to_regclass($1)
            AND a.attname = $2
            AND NOT a.attisdropped)) AS s (oid);

-- PostgreSqlCatalogSql.IsSubscribed
EXISTS (SELECT
    FROM pg_subscription_rel r
    WHERE r.srrelid = to_regclass($1) OR r.srrelid IN (SELECT p.relid
        FROM pg_partition_tree(to_regclass($1)) p));

-- PostgreSqlCatalogSql.IsThere
SELECT to_regclass($1) IS NOT NULL;

-- PostgreSqlCatalogSql.LacksIndex
SELECT NOT EXISTS (SELECT
    FROM pg_index x
    JOIN pg_class i ON i.oid = x.indexrelid
    JOIN pg_am m ON m.oid = i.relam
    WHERE x.indrelid = t.oid
        AND x.indisvalid
        AND x.indpred IS NULL
        AND m.amname = 'btree'
        AND x.indnkeyatts >= 2
        AND x.indkey[0] = (SELECT a.attnum
            FROM pg_attribute a
            WHERE a.attrelid = t.oid
                AND a.attname = $2)
        AND x.indkey[1] = (SELECT a.attnum
            FROM pg_attribute a
            WHERE a.attrelid = t.oid
                AND a.attname = $3))
FROM pg_class t
WHERE t.oid = to_regclass($1)
    AND t.relkind IN ('r', 'p');

-- PostgreSqlCatalogSql.Oldest
WITH h AS MATERIALIZED (SELECT l.pid, l.locktype, l.transactionid
    FROM pg_locks l
    WHERE l.virtualtransaction = ANY($1))
SELECT extract(epoch FROM clock_timestamp() - o.since)::bigint, o.owner, o.pid, o.application, o.state, left(regexp_replace(o.query, '\s+', ' ', 'g'), 101), left(regexp_replace(o.gid, '\s+', ' ', 'g'), 100)
FROM (SELECT a.xact_start, a.usename::text, a.pid, a.application_name, a.state, a.query, NULL
    FROM pg_stat_activity a
    WHERE a.pid IN (SELECT h.pid
        FROM h)
    UNION ALL
    SELECT p.prepared, p.owner::text, NULL, NULL, NULL, NULL, p.gid
    FROM pg_prepared_xacts p
    WHERE p.transaction::text IN (SELECT h.transactionid::text
        FROM h
        WHERE h.pid IS NULL
            AND h.locktype = 'transactionid')) AS o (since, owner, pid, application, state, query, gid)
ORDER BY o.since NULLS LAST, o.pid
LIMIT 1;

-- PostgreSqlCatalogSql.OpenTransactions
SELECT CASE WHEN NOT pg_is_in_recovery()
    AND (SELECT q.seqcache
        FROM pg_sequence q
        WHERE q.seqrelid = s.oid) = 1
    AND NOT EXISTS (SELECT
        FROM pg_subscription_rel r
        WHERE r.srrelid = to_regclass($1) OR r.srrelid IN (SELECT p.relid
            FROM pg_partition_tree(to_regclass($1)) p)) THEN ARRAY(SELECT DISTINCT l.virtualtransaction
                FROM pg_locks l
                WHERE l.locktype = 'relation'
                    AND l.mode = 'RowExclusiveLock'
                    AND l.relation = s.oid
                    AND l.database = (SELECT d.oid
                        FROM pg_database d
                        WHERE d.datname = current_database())) END, (SELECT q.seqcache
                            FROM pg_sequence q
                            WHERE q.seqrelid = s.oid
                                AND q.seqcache > 1
                                AND NOT EXISTS (SELECT
                                    FROM pg_subscription_rel r
                                    WHERE r.srrelid = to_regclass($1) OR r.srrelid IN (SELECT p.relid
                                        FROM pg_partition_tree(to_regclass($1)) p))), (SELECT format('%I.%I', n.nspname, c.relname)
                                            FROM pg_class c
                                            JOIN pg_namespace n ON n.oid = c.relnamespace
                                            WHERE c.oid = s.oid)
FROM (SELECT (SELECT CASE WHEN a.attidentity <> '' OR NOT a.atthasdef THEN to_regclass(pg_get_serial_sequence($1, $2))::oid ELSE (SELECT CASE WHEN count(DISTINCT c.oid) = 1 THEN min(c.oid) END
            FROM pg_attrdef f
            JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass
                AND d.objid = f.oid
                AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class c ON c.oid = d.refobjid
                AND c.relkind = 'S'
            WHERE f.adrelid = a.attrelid
                AND f.adnum = a.attnum) END
        FROM pg_attribute a
        WHERE a.attrelid = to_regclass($1)
            AND a.attname = $2
            AND NOT a.attisdropped)) AS s (oid);

-- PostgreSqlCatalogSql.OwnBackend
SELECT pid || '/' || (extract(epoch FROM backend_start) * 1000000)::bigint
FROM pg_stat_get_activity(pg_backend_pid());

-- PostgreSqlCatalogSql.OwnRecovery
coalesce((extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()) * 1000000)::bigint::text, '');

-- PostgreSqlCatalogSql.OwnServer
(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint::text, coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a socket');

-- PostgreSqlCatalogSql.ReadableSequence
SELECT CASE WHEN NOT pg_is_in_recovery()
    AND NOT EXISTS (SELECT
        FROM pg_subscription_rel r
        WHERE r.srrelid = to_regclass($1) OR r.srrelid IN (SELECT p.relid
            FROM pg_partition_tree(to_regclass($1)) p))
    AND has_sequence_privilege(s.oid, 'SELECT') THEN (SELECT format('%I.%I', n.nspname, c.relname)
        FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.oid = s.oid) END
FROM (SELECT (SELECT CASE WHEN a.attidentity <> '' OR NOT a.atthasdef THEN to_regclass(pg_get_serial_sequence($1, $2))::oid ELSE (SELECT CASE WHEN count(DISTINCT c.oid) = 1 THEN min(c.oid) END
            FROM pg_attrdef f
            JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass
                AND d.objid = f.oid
                AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class c ON c.oid = d.refobjid
                AND c.relkind = 'S'
            WHERE f.adrelid = a.attrelid
                AND f.adnum = a.attnum) END
        FROM pg_attribute a
        WHERE a.attrelid = to_regclass($1)
            AND a.attname = $2
            AND NOT a.attisdropped)) AS s (oid);

-- PostgreSqlCatalogSql.SequenceName
(SELECT format('%I.%I', n.nspname, c.relname)
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = s.oid);

-- PostgreSqlCatalogSql.Standby
SELECT txid_snapshot_xmin(s), txid_snapshot_xmax(s), (pg_last_wal_replay_lsn() - '0/0')::bigint, coalesce(pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn(), false)
    AND EXISTS (SELECT
        FROM pg_stat_wal_receiver)
FROM txid_current_snapshot() s
WHERE pg_is_in_recovery();

-- PostgreSqlCatalogSql.StillRunning
SELECT pid || '/' || (extract(epoch FROM backend_start) * 1000000)::bigint
FROM pg_stat_activity
WHERE pid || '/' || (extract(epoch FROM backend_start) * 1000000)::bigint = ANY($1)
    AND state NOT LIKE 'idle%';

-- PostgreSqlCatalogSql.Terminate
SELECT pg_terminate_backend(pid)
FROM pg_stat_activity
WHERE pid || '/' || (extract(epoch FROM backend_start) * 1000000)::bigint = ANY($1);

-- PostgreSqlCatalogSql.LastIssued
SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
FROM public."journal_ordering_seq";

-- PostgreSqlSchema.DrawOrderings
SELECT nextval(s.oid::regclass)
FROM (SELECT (SELECT CASE WHEN a.attidentity <> '' OR NOT a.atthasdef THEN to_regclass(pg_get_serial_sequence($1, $2))::oid ELSE (SELECT CASE WHEN count(DISTINCT c.oid) = 1 THEN min(c.oid) END
            FROM pg_attrdef f
            JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass
                AND d.objid = f.oid
                AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class c ON c.oid = d.refobjid
                AND c.relkind = 'S'
            WHERE f.adrelid = a.attrelid
                AND f.adnum = a.attnum) END
        FROM pg_attribute a
        WHERE a.attrelid = to_regclass($1)
            AND a.attname = $2
            AND NOT a.attisdropped)) AS s (oid), generate_series(1, $3);

-- PostgreSqlSchema.TakeTurns
SELECT pg_advisory_xact_lock(hashtext('throttled'));


-- == default layout, tag table ==

-- PostgreSqlJournalSql.CreateTagIndex
CREATE INDEX CONCURRENTLY IF NOT EXISTS "tags_tag_ordering_idx" ON "tags" ("tag", "ordering_id");

-- PostgreSqlJournalSql.FirstIds
WITH RECURSIVE ids (id, live) AS ((SELECT "persistence_id", NOT "deleted"
        FROM "journal" AS journal_row
        ORDER BY "persistence_id", "sequence_number"
        LIMIT 1)
    UNION ALL
    SELECT n.*
    FROM ids i
    CROSS JOIN LATERAL (SELECT "persistence_id", NOT "deleted"
        FROM "journal" AS journal_row
        WHERE "persistence_id" > i.id
        ORDER BY "persistence_id", "sequence_number"
        LIMIT 1) n)
SELECT i.id, i.live OR (SELECT true
    FROM "journal" AS journal_row
    WHERE "persistence_id" >= i.id
        AND "persistence_id" <= i.id
        AND NOT "deleted"
    ORDER BY "persistence_id", "sequence_number"
    LIMIT 1) IS NOT NULL
FROM ids i
LIMIT $1;

-- PostgreSqlJournalSql.FirstTagged
SELECT MIN("ordering_id")
FROM "tags" AS tag_row;

-- PostgreSqlJournalSql.FromEnd
SELECT "ordering", "deleted", "persistence_id"
FROM "journal" AS journal_row
WHERE "ordering" < $1
ORDER BY "ordering" DESC
LIMIT $2;

-- PostgreSqlJournalSql.FromEndByTable
SELECT t.o, e.*, t.w
FROM (SELECT "ordering_id", "tag"
    FROM "tags" AS tag_row
    WHERE "tag" = $2
        AND "ordering_id" < $1
    ORDER BY "ordering_id" DESC
    LIMIT $3) t (o, w)
LEFT JOIN LATERAL (SELECT "deleted", "persistence_id"
    FROM "journal" AS journal_row
    WHERE "ordering" = t.o
    OFFSET 0) e ON true
ORDER BY t.o DESC;

-- PostgreSqlJournalSql.Ids
WITH RECURSIVE ids (id, live) AS ((SELECT "persistence_id", NOT "deleted"
        FROM "journal" AS journal_row
        WHERE "persistence_id" > $1
        ORDER BY "persistence_id", "sequence_number"
        LIMIT 1)
    UNION ALL
    SELECT n.*
    FROM ids i
    CROSS JOIN LATERAL (SELECT "persistence_id", NOT "deleted"
        FROM "journal" AS journal_row
        WHERE "persistence_id" > i.id
        ORDER BY "persistence_id", "sequence_number"
        LIMIT 1) n)
SELECT i.id, i.live OR (SELECT true
    FROM "journal" AS journal_row
    WHERE "persistence_id" >= i.id
        AND "persistence_id" <= i.id
        AND NOT "deleted"
    ORDER BY "persistence_id", "sequence_number"
    LIMIT 1) IS NOT NULL
FROM ids i
LIMIT $2;

-- PostgreSqlJournalSql.JournalTable
"journal";

-- PostgreSqlJournalSql.Keys.From
SELECT "ordering", "persistence_id", "sequence_number"
FROM "journal" AS journal_row
WHERE "ordering" >= $1
ORDER BY "ordering"
LIMIT $2;

-- PostgreSqlJournalSql.Keys.InGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "ordering", "persistence_id", "sequence_number"
    FROM "journal" AS journal_row
    WHERE "ordering" >= r.f
        AND "ordering" <= r.t
    ORDER BY "ordering"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.LastKey
SELECT "ordering", "persistence_id", "sequence_number"
FROM "journal" AS journal_row
ORDER BY "ordering" DESC
LIMIT 1;

-- PostgreSqlJournalSql.Ordered
SELECT "ordering", CASE WHEN "deleted" THEN '-' WHEN "identifier" = $4
    AND coalesce("manifest", '') COLLATE "C" = $5 THEN NULL ELSE coalesce("identifier"::text, '') || ':' || coalesce("manifest", '') END, "persistence_id", "sequence_number", "created", "message"
FROM "journal" AS journal_row
WHERE "ordering" > $1
    AND "ordering" <= $2
ORDER BY "ordering"
LIMIT $3;

-- PostgreSqlJournalSql.OrderedByColumn
SELECT "ordering", CASE WHEN "deleted" THEN '-' WHEN "identifier" = $5
    AND coalesce("manifest", '') COLLATE "C" = $6 THEN NULL ELSE coalesce("identifier"::text, '') || ':' || coalesce("manifest", '') END, "persistence_id", "sequence_number", "created", "message"
FROM "journal" AS journal_row
WHERE "ordering" > $1
    AND "ordering" <= $2
    AND "tags" <> ''
    AND "tags" COLLATE "C" LIKE ANY ($3)
ORDER BY "ordering"
LIMIT $4;

-- PostgreSqlJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT "ordering_id" AS o
    FROM "tags" AS tag_row
    WHERE "tag" = $3
        AND "ordering_id" > $1
        AND "ordering_id" <= $2
    ORDER BY "ordering_id"
    LIMIT $4) t
LEFT JOIN LATERAL (SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
    FROM "journal" AS journal_row
    WHERE "ordering" = t.o
    OFFSET 0) e ON true
ORDER BY t.o;

-- PostgreSqlJournalSql.Pages
SELECT r.member, e.*
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[]) WITH ORDINALITY AS r (id, f, t, n, member)
CROSS JOIN LATERAL (SELECT "ordering", CASE WHEN "deleted" THEN '-' WHEN "identifier" = $6
        AND coalesce("manifest", '') COLLATE "C" = $7 THEN NULL ELSE coalesce("identifier"::text, '') || ':' || coalesce("manifest", '') END, "sequence_number", "created", "message"
    FROM "journal" AS journal_row
    WHERE "persistence_id" = r.id
        AND "persistence_id" COLLATE "C" = r.id
        AND "sequence_number" >= r.f
        AND "sequence_number" <= r.t
    ORDER BY "sequence_number"
    LIMIT r.n) e
LIMIT $5;

-- PostgreSqlJournalSql.Probe
SELECT current_setting('max_connections')::int, pg_is_in_recovery(), (SELECT format('%I.%I', n.nspname, c.relname)
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = s.oid), (SELECT seqcache
        FROM pg_sequence
        WHERE seqrelid = s.oid), (SELECT seqincrement
            FROM pg_sequence
            WHERE seqrelid = s.oid), EXISTS (SELECT
                FROM pg_subscription_rel r
                WHERE r.srrelid = to_regclass($1) OR r.srrelid IN (SELECT p.relid
                    FROM pg_partition_tree(to_regclass($1)) p)), has_sequence_privilege(s.oid, 'SELECT'), current_user::text, EXISTS (SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
                        FROM "journal" AS journal_row
                        WHERE false), current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0)
FROM (SELECT (SELECT CASE WHEN a.attidentity <> '' OR NOT a.atthasdef THEN to_regclass(pg_get_serial_sequence($1, $2))::oid ELSE (SELECT CASE WHEN count(DISTINCT c.oid) = 1 THEN min(c.oid) END
            FROM pg_attrdef f
            JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass
                AND d.objid = f.oid
                AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class c ON c.oid = d.refobjid
                AND c.relkind = 'S'
            WHERE f.adrelid = a.attrelid
                AND f.adnum = a.attnum) END
        FROM pg_attribute a
        WHERE a.attrelid = to_regclass($1)
            AND a.attname = $2
            AND NOT a.attisdropped)) AS s (oid);

-- PostgreSqlJournalSql.Rows
SELECT e.*
FROM unnest($1::bigint[]) WITH ORDINALITY AS r (n, i)
CROSS JOIN LATERAL (SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
    FROM "journal" AS journal_row
    WHERE "ordering" = r.n
    OFFSET 0) e;

-- PostgreSqlJournalSql.RowsFrom
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "journal" AS journal_row
WHERE "ordering" >= $1
ORDER BY "ordering"
LIMIT $2;

-- PostgreSqlJournalSql.RowsInGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
    FROM "journal" AS journal_row
    WHERE "ordering" >= r.f
        AND "ordering" <= r.t
    ORDER BY "ordering"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.TagColumns
SELECT "tag", "ordering_id"
FROM "tags" AS tag_row
WHERE false;

-- PostgreSqlJournalSql.TagTable
"tags";

-- PostgreSqlJournalSql.TaggedKeys.From
SELECT "ordering", "persistence_id", "sequence_number", "tags"
FROM "journal" AS journal_row
WHERE "ordering" >= $1
ORDER BY "ordering"
LIMIT $2;

-- PostgreSqlJournalSql.TaggedKeys.InGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "ordering", "persistence_id", "sequence_number", "tags"
    FROM "journal" AS journal_row
    WHERE "ordering" >= r.f
        AND "ordering" <= r.t
    ORDER BY "ordering"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.Tags
SELECT r.i, e.*
FROM unnest($1::bigint[]) WITH ORDINALITY AS r (n, i)
CROSS JOIN LATERAL (SELECT "tag"
    FROM "tags" AS tag_row
    WHERE "ordering_id" = r.n
    OFFSET 0) e;

-- PostgreSqlJournalSql.TagsBetween
SELECT "ordering_id", "tag"
FROM "tags" AS tag_row
WHERE "ordering_id" >= $1
    AND "ordering_id" <= $2
ORDER BY "ordering_id";

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
WHERE journal_table = $1;

-- ShardMarkSql.Table
"throttled_shards";

-- ShardMarkSql.Write
INSERT INTO "throttled_shards" (journal_table, shard, slices)
VALUES ($1, $2, $3);

-- PostgreSqlSchema.Create, 1
SELECT pg_advisory_xact_lock(hashtext('throttled'));

-- PostgreSqlSchema.Create, 2
CREATE TABLE IF NOT EXISTS "journal" (
    "ordering" BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    "deleted" BOOLEAN NOT NULL,
    "persistence_id" VARCHAR(255) NOT NULL,
    "sequence_number" BIGINT NOT NULL,
    "created" BIGINT NOT NULL,
    "message" BYTEA NOT NULL,
    "identifier" INTEGER NULL,
    "manifest" VARCHAR(500) NULL,
    "writer_uuid" VARCHAR(128) NULL, UNIQUE ("persistence_id", "sequence_number"));

-- PostgreSqlSchema.Create, 3
CREATE TABLE IF NOT EXISTS "tags" (
    "ordering_id" BIGINT NOT NULL,
    "tag" VARCHAR(64) NOT NULL,
    "sequence_nr" BIGINT NOT NULL,
    "persistence_id" VARCHAR(255) NOT NULL,
    PRIMARY KEY ("ordering_id", "tag"));

-- PostgreSqlSchema.Create, 4
CREATE INDEX IF NOT EXISTS "tags_tag_ordering_idx" ON "tags" ("tag", "ordering_id");

-- PostgreSqlSchema.CopyEvents
COPY "journal" ("deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest", "writer_uuid")
FROM STDIN (FORMAT BINARY);

-- PostgreSqlSchema.CopyEvents, with orderings
COPY "journal" ("ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest", "writer_uuid")
FROM STDIN (FORMAT BINARY);

-- PostgreSqlSchema.CopyTags
COPY "tags" ("ordering_id", "tag", "sequence_nr", "persistence_id")
FROM STDIN (FORMAT BINARY);


-- == layout of Akka.Persistence.PostgreSql, tags in a column ==

-- PostgreSqlJournalSql.CreateTagIndex
CREATE INDEX CONCURRENTLY IF NOT EXISTS "tags_tag_ordering_idx" ON "public"."tags" ("tag", "ordering_id");

-- PostgreSqlJournalSql.FirstIds
WITH RECURSIVE ids (id, live) AS ((SELECT "persistence_id", NOT "is_deleted"
        FROM "public"."event_journal" AS journal_row
        ORDER BY "persistence_id", "sequence_nr"
        LIMIT 1)
    UNION ALL
    SELECT n.*
    FROM ids i
    CROSS JOIN LATERAL (SELECT "persistence_id", NOT "is_deleted"
        FROM "public"."event_journal" AS journal_row
        WHERE "persistence_id" > i.id
        ORDER BY "persistence_id", "sequence_nr"
        LIMIT 1) n)
SELECT i.id, i.live OR (SELECT true
    FROM "public"."event_journal" AS journal_row
    WHERE "persistence_id" >= i.id
        AND "persistence_id" <= i.id
        AND NOT "is_deleted"
    ORDER BY "persistence_id", "sequence_nr"
    LIMIT 1) IS NOT NULL
FROM ids i
LIMIT $1;

-- PostgreSqlJournalSql.FirstTagged
SELECT MIN("ordering_id")
FROM "public"."tags" AS tag_row;

-- PostgreSqlJournalSql.FromEnd
SELECT "ordering", "is_deleted", "persistence_id", "tags"
FROM "public"."event_journal" AS journal_row
WHERE "ordering" < $1
ORDER BY "ordering" DESC
LIMIT $2;

-- PostgreSqlJournalSql.FromEndByTable
SELECT t.o, e.*, t.w
FROM (SELECT "ordering_id", "tag"
    FROM "public"."tags" AS tag_row
    WHERE "tag" = $2
        AND "ordering_id" < $1
    ORDER BY "ordering_id" DESC
    LIMIT $3) t (o, w)
LEFT JOIN LATERAL (SELECT "is_deleted", "persistence_id"
    FROM "public"."event_journal" AS journal_row
    WHERE "ordering" = t.o
    OFFSET 0) e ON true
ORDER BY t.o DESC;

-- PostgreSqlJournalSql.Ids
WITH RECURSIVE ids (id, live) AS ((SELECT "persistence_id", NOT "is_deleted"
        FROM "public"."event_journal" AS journal_row
        WHERE "persistence_id" > $1
        ORDER BY "persistence_id", "sequence_nr"
        LIMIT 1)
    UNION ALL
    SELECT n.*
    FROM ids i
    CROSS JOIN LATERAL (SELECT "persistence_id", NOT "is_deleted"
        FROM "public"."event_journal" AS journal_row
        WHERE "persistence_id" > i.id
        ORDER BY "persistence_id", "sequence_nr"
        LIMIT 1) n)
SELECT i.id, i.live OR (SELECT true
    FROM "public"."event_journal" AS journal_row
    WHERE "persistence_id" >= i.id
        AND "persistence_id" <= i.id
        AND NOT "is_deleted"
    ORDER BY "persistence_id", "sequence_nr"
    LIMIT 1) IS NOT NULL
FROM ids i
LIMIT $2;

-- PostgreSqlJournalSql.JournalTable
"public"."event_journal";

-- PostgreSqlJournalSql.Keys.From
SELECT "ordering", "persistence_id", "sequence_nr"
FROM "public"."event_journal" AS journal_row
WHERE "ordering" >= $1
ORDER BY "ordering"
LIMIT $2;

-- PostgreSqlJournalSql.Keys.InGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "ordering", "persistence_id", "sequence_nr"
    FROM "public"."event_journal" AS journal_row
    WHERE "ordering" >= r.f
        AND "ordering" <= r.t
    ORDER BY "ordering"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.LastKey
SELECT "ordering", "persistence_id", "sequence_nr"
FROM "public"."event_journal" AS journal_row
ORDER BY "ordering" DESC
LIMIT 1;

-- PostgreSqlJournalSql.Ordered
SELECT "ordering", CASE WHEN "is_deleted" THEN '-' WHEN "serializer_id" = $4
    AND coalesce("manifest", '') COLLATE "C" = $5 THEN NULL ELSE coalesce("serializer_id"::text, '') || ':' || coalesce("manifest", '') END, "persistence_id", "sequence_nr", "created_at", "payload", "tags"
FROM "public"."event_journal" AS journal_row
WHERE "ordering" > $1
    AND "ordering" <= $2
ORDER BY "ordering"
LIMIT $3;

-- PostgreSqlJournalSql.OrderedByColumn
SELECT "ordering", CASE WHEN "is_deleted" THEN '-' WHEN "serializer_id" = $5
    AND coalesce("manifest", '') COLLATE "C" = $6 THEN NULL ELSE coalesce("serializer_id"::text, '') || ':' || coalesce("manifest", '') END, "persistence_id", "sequence_nr", "created_at", "payload", "tags"
FROM "public"."event_journal" AS journal_row
WHERE "ordering" > $1
    AND "ordering" <= $2
    AND "tags" <> ''
    AND "tags" COLLATE "C" LIKE ANY ($3)
ORDER BY "ordering"
LIMIT $4;

-- PostgreSqlJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT "ordering_id" AS o
    FROM "public"."tags" AS tag_row
    WHERE "tag" = $3
        AND "ordering_id" > $1
        AND "ordering_id" <= $2
    ORDER BY "ordering_id"
    LIMIT $4) t
LEFT JOIN LATERAL (SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "created_at", "payload", "serializer_id", "manifest", "tags"
    FROM "public"."event_journal" AS journal_row
    WHERE "ordering" = t.o
    OFFSET 0) e ON true
ORDER BY t.o;

-- PostgreSqlJournalSql.Pages
SELECT r.member, e.*
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[]) WITH ORDINALITY AS r (id, f, t, n, member)
CROSS JOIN LATERAL (SELECT "ordering", CASE WHEN "is_deleted" THEN '-' WHEN "serializer_id" = $6
        AND coalesce("manifest", '') COLLATE "C" = $7 THEN NULL ELSE coalesce("serializer_id"::text, '') || ':' || coalesce("manifest", '') END, "sequence_nr", "created_at", "payload", "tags"
    FROM "public"."event_journal" AS journal_row
    WHERE "persistence_id" = r.id
        AND "persistence_id" COLLATE "C" = r.id
        AND "sequence_nr" >= r.f
        AND "sequence_nr" <= r.t
    ORDER BY "sequence_nr"
    LIMIT r.n) e
LIMIT $5;

-- PostgreSqlJournalSql.Probe
SELECT current_setting('max_connections')::int, pg_is_in_recovery(), (SELECT format('%I.%I', n.nspname, c.relname)
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = s.oid), (SELECT seqcache
        FROM pg_sequence
        WHERE seqrelid = s.oid), (SELECT seqincrement
            FROM pg_sequence
            WHERE seqrelid = s.oid), EXISTS (SELECT
                FROM pg_subscription_rel r
                WHERE r.srrelid = to_regclass($1) OR r.srrelid IN (SELECT p.relid
                    FROM pg_partition_tree(to_regclass($1)) p)), has_sequence_privilege(s.oid, 'SELECT'), current_user::text, EXISTS (SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "created_at", "payload", "serializer_id", "manifest", "tags"
                        FROM "public"."event_journal" AS journal_row
                        WHERE false), current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0)
FROM (SELECT (SELECT CASE WHEN a.attidentity <> '' OR NOT a.atthasdef THEN to_regclass(pg_get_serial_sequence($1, $2))::oid ELSE (SELECT CASE WHEN count(DISTINCT c.oid) = 1 THEN min(c.oid) END
            FROM pg_attrdef f
            JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass
                AND d.objid = f.oid
                AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class c ON c.oid = d.refobjid
                AND c.relkind = 'S'
            WHERE f.adrelid = a.attrelid
                AND f.adnum = a.attnum) END
        FROM pg_attribute a
        WHERE a.attrelid = to_regclass($1)
            AND a.attname = $2
            AND NOT a.attisdropped)) AS s (oid);

-- PostgreSqlJournalSql.Rows
SELECT e.*
FROM unnest($1::bigint[]) WITH ORDINALITY AS r (n, i)
CROSS JOIN LATERAL (SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "created_at", "payload", "serializer_id", "manifest", "tags"
    FROM "public"."event_journal" AS journal_row
    WHERE "ordering" = r.n
    OFFSET 0) e;

-- PostgreSqlJournalSql.RowsFrom
SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "created_at", "payload", "serializer_id", "manifest", "tags"
FROM "public"."event_journal" AS journal_row
WHERE "ordering" >= $1
ORDER BY "ordering"
LIMIT $2;

-- PostgreSqlJournalSql.RowsInGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "created_at", "payload", "serializer_id", "manifest", "tags"
    FROM "public"."event_journal" AS journal_row
    WHERE "ordering" >= r.f
        AND "ordering" <= r.t
    ORDER BY "ordering"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.TagColumns
SELECT "tag", "ordering_id"
FROM "public"."tags" AS tag_row
WHERE false;

-- PostgreSqlJournalSql.TagTable
"public"."tags";

-- PostgreSqlJournalSql.TaggedKeys.From
SELECT "ordering", "persistence_id", "sequence_nr", "tags"
FROM "public"."event_journal" AS journal_row
WHERE "ordering" >= $1
ORDER BY "ordering"
LIMIT $2;

-- PostgreSqlJournalSql.TaggedKeys.InGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "ordering", "persistence_id", "sequence_nr", "tags"
    FROM "public"."event_journal" AS journal_row
    WHERE "ordering" >= r.f
        AND "ordering" <= r.t
    ORDER BY "ordering"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.Tags
SELECT r.i, e.*
FROM unnest($1::bigint[]) WITH ORDINALITY AS r (n, i)
CROSS JOIN LATERAL (SELECT "tag"
    FROM "public"."tags" AS tag_row
    WHERE "ordering_id" = r.n
    OFFSET 0) e;

-- PostgreSqlJournalSql.TagsBetween
SELECT "ordering_id", "tag"
FROM "public"."tags" AS tag_row
WHERE "ordering_id" >= $1
    AND "ordering_id" <= $2
ORDER BY "ordering_id";

-- ShardMarkSql.AnyEvent
SELECT 1
FROM "public"."event_journal" AS journal_row
ORDER BY "ordering"
LIMIT 1;

-- ShardMarkSql.Create
CREATE TABLE IF NOT EXISTS "public"."throttled_shards" (journal_table VARCHAR(255) NOT NULL PRIMARY KEY, shard INTEGER NOT NULL, slices TEXT NOT NULL);

-- ShardMarkSql.Journal
"public"."event_journal";

-- ShardMarkSql.Read
SELECT shard, slices
FROM "public"."throttled_shards"
WHERE journal_table = $1;

-- ShardMarkSql.Table
"public"."throttled_shards";

-- ShardMarkSql.Write
INSERT INTO "public"."throttled_shards" (journal_table, shard, slices)
VALUES ($1, $2, $3);

-- PostgreSqlSchema.Create, 1: as in 'default layout, tag table'

-- PostgreSqlSchema.Create, 2
CREATE SCHEMA IF NOT EXISTS "public";

-- PostgreSqlSchema.Create, 3
CREATE TABLE IF NOT EXISTS "public"."event_journal" (
    "ordering" BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    "is_deleted" BOOLEAN NOT NULL,
    "persistence_id" VARCHAR(255) NOT NULL,
    "sequence_nr" BIGINT NOT NULL,
    "created_at" BIGINT NOT NULL,
    "payload" BYTEA NOT NULL,
    "serializer_id" INTEGER NULL,
    "manifest" VARCHAR(500) NULL,
    "tags" VARCHAR(2000) NULL, UNIQUE ("persistence_id", "sequence_nr"));

-- PostgreSqlSchema.CopyEvents
COPY "public"."event_journal" ("is_deleted", "persistence_id", "sequence_nr", "created_at", "payload", "serializer_id", "manifest", "tags")
FROM STDIN (FORMAT BINARY);

-- PostgreSqlSchema.CopyEvents, with orderings
COPY "public"."event_journal" ("ordering", "is_deleted", "persistence_id", "sequence_nr", "created_at", "payload", "serializer_id", "manifest", "tags")
FROM STDIN (FORMAT BINARY);


-- == odd names ==

-- PostgreSqlJournalSql.CreateTagIndex
CREATE INDEX CONCURRENTLY IF NOT EXISTS "tag""s_tag_ordering_idx" ON "my ""schema"""."tag""s" ("tag;", "?1");

-- PostgreSqlJournalSql.FirstIds
WITH RECURSIVE ids (id, live) AS ((SELECT "the id's", NOT "is [deleted]"
        FROM "my ""schema"""."order by" AS journal_row
        ORDER BY "the id's", "Sequence Number"
        LIMIT 1)
    UNION ALL
    SELECT n.*
    FROM ids i
    CROSS JOIN LATERAL (SELECT "the id's", NOT "is [deleted]"
        FROM "my ""schema"""."order by" AS journal_row
        WHERE "the id's" > i.id
        ORDER BY "the id's", "Sequence Number"
        LIMIT 1) n)
SELECT i.id, i.live OR (SELECT true
    FROM "my ""schema"""."order by" AS journal_row
    WHERE "the id's" >= i.id
        AND "the id's" <= i.id
        AND NOT "is [deleted]"
    ORDER BY "the id's", "Sequence Number"
    LIMIT 1) IS NOT NULL
FROM ids i
LIMIT $1;

-- PostgreSqlJournalSql.FirstTagged
SELECT MIN("?1")
FROM "my ""schema"""."tag""s" AS tag_row;

-- PostgreSqlJournalSql.FromEnd
SELECT "select", "is [deleted]", "the id's"
FROM "my ""schema"""."order by" AS journal_row
WHERE "select" < $1
ORDER BY "select" DESC
LIMIT $2;

-- PostgreSqlJournalSql.FromEndByTable
SELECT t.o, e.*, t.w
FROM (SELECT "?1", "tag;"
    FROM "my ""schema"""."tag""s" AS tag_row
    WHERE "tag;" = $2
        AND "?1" < $1
    ORDER BY "?1" DESC
    LIMIT $3) t (o, w)
LEFT JOIN LATERAL (SELECT "is [deleted]", "the id's"
    FROM "my ""schema"""."order by" AS journal_row
    WHERE "select" = t.o
    OFFSET 0) e ON true
ORDER BY t.o DESC;

-- PostgreSqlJournalSql.Ids
WITH RECURSIVE ids (id, live) AS ((SELECT "the id's", NOT "is [deleted]"
        FROM "my ""schema"""."order by" AS journal_row
        WHERE "the id's" > $1
        ORDER BY "the id's", "Sequence Number"
        LIMIT 1)
    UNION ALL
    SELECT n.*
    FROM ids i
    CROSS JOIN LATERAL (SELECT "the id's", NOT "is [deleted]"
        FROM "my ""schema"""."order by" AS journal_row
        WHERE "the id's" > i.id
        ORDER BY "the id's", "Sequence Number"
        LIMIT 1) n)
SELECT i.id, i.live OR (SELECT true
    FROM "my ""schema"""."order by" AS journal_row
    WHERE "the id's" >= i.id
        AND "the id's" <= i.id
        AND NOT "is [deleted]"
    ORDER BY "the id's", "Sequence Number"
    LIMIT 1) IS NOT NULL
FROM ids i
LIMIT $2;

-- PostgreSqlJournalSql.JournalTable
"my ""schema"""."order by";

-- PostgreSqlJournalSql.Keys.From
SELECT "select", "the id's", "Sequence Number"
FROM "my ""schema"""."order by" AS journal_row
WHERE "select" >= $1
ORDER BY "select"
LIMIT $2;

-- PostgreSqlJournalSql.Keys.InGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "select", "the id's", "Sequence Number"
    FROM "my ""schema"""."order by" AS journal_row
    WHERE "select" >= r.f
        AND "select" <= r.t
    ORDER BY "select"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.LastKey
SELECT "select", "the id's", "Sequence Number"
FROM "my ""schema"""."order by" AS journal_row
ORDER BY "select" DESC
LIMIT 1;

-- PostgreSqlJournalSql.Ordered
SELECT "select", CASE WHEN "is [deleted]" THEN '-' WHEN "--" = $4
    AND coalesce("`manifest`", '') COLLATE "C" = $5 THEN NULL ELSE coalesce("--"::text, '') || ':' || coalesce("`manifest`", '') END, "the id's", "Sequence Number", "from", "payload]"
FROM "my ""schema"""."order by" AS journal_row
WHERE "select" > $1
    AND "select" <= $2
ORDER BY "select"
LIMIT $3;

-- PostgreSqlJournalSql.OrderedByColumn
SELECT "select", CASE WHEN "is [deleted]" THEN '-' WHEN "--" = $5
    AND coalesce("`manifest`", '') COLLATE "C" = $6 THEN NULL ELSE coalesce("--"::text, '') || ':' || coalesce("`manifest`", '') END, "the id's", "Sequence Number", "from", "payload]"
FROM "my ""schema"""."order by" AS journal_row
WHERE "select" > $1
    AND "select" <= $2
    AND "tags" <> ''
    AND "tags" COLLATE "C" LIKE ANY ($3)
ORDER BY "select"
LIMIT $4;

-- PostgreSqlJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT "?1" AS o
    FROM "my ""schema"""."tag""s" AS tag_row
    WHERE "tag;" = $3
        AND "?1" > $1
        AND "?1" <= $2
    ORDER BY "?1"
    LIMIT $4) t
LEFT JOIN LATERAL (SELECT "select", "is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`"
    FROM "my ""schema"""."order by" AS journal_row
    WHERE "select" = t.o
    OFFSET 0) e ON true
ORDER BY t.o;

-- PostgreSqlJournalSql.Pages
SELECT r.member, e.*
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[]) WITH ORDINALITY AS r (id, f, t, n, member)
CROSS JOIN LATERAL (SELECT "select", CASE WHEN "is [deleted]" THEN '-' WHEN "--" = $6
        AND coalesce("`manifest`", '') COLLATE "C" = $7 THEN NULL ELSE coalesce("--"::text, '') || ':' || coalesce("`manifest`", '') END, "Sequence Number", "from", "payload]"
    FROM "my ""schema"""."order by" AS journal_row
    WHERE "the id's" = r.id
        AND "the id's" COLLATE "C" = r.id
        AND "Sequence Number" >= r.f
        AND "Sequence Number" <= r.t
    ORDER BY "Sequence Number"
    LIMIT r.n) e
LIMIT $5;

-- PostgreSqlJournalSql.Probe
SELECT current_setting('max_connections')::int, pg_is_in_recovery(), (SELECT format('%I.%I', n.nspname, c.relname)
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = s.oid), (SELECT seqcache
        FROM pg_sequence
        WHERE seqrelid = s.oid), (SELECT seqincrement
            FROM pg_sequence
            WHERE seqrelid = s.oid), EXISTS (SELECT
                FROM pg_subscription_rel r
                WHERE r.srrelid = to_regclass($1) OR r.srrelid IN (SELECT p.relid
                    FROM pg_partition_tree(to_regclass($1)) p)), has_sequence_privilege(s.oid, 'SELECT'), current_user::text, EXISTS (SELECT "select", "is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`"
                        FROM "my ""schema"""."order by" AS journal_row
                        WHERE false), current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0)
FROM (SELECT (SELECT CASE WHEN a.attidentity <> '' OR NOT a.atthasdef THEN to_regclass(pg_get_serial_sequence($1, $2))::oid ELSE (SELECT CASE WHEN count(DISTINCT c.oid) = 1 THEN min(c.oid) END
            FROM pg_attrdef f
            JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass
                AND d.objid = f.oid
                AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class c ON c.oid = d.refobjid
                AND c.relkind = 'S'
            WHERE f.adrelid = a.attrelid
                AND f.adnum = a.attnum) END
        FROM pg_attribute a
        WHERE a.attrelid = to_regclass($1)
            AND a.attname = $2
            AND NOT a.attisdropped)) AS s (oid);

-- PostgreSqlJournalSql.Rows
SELECT e.*
FROM unnest($1::bigint[]) WITH ORDINALITY AS r (n, i)
CROSS JOIN LATERAL (SELECT "select", "is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`"
    FROM "my ""schema"""."order by" AS journal_row
    WHERE "select" = r.n
    OFFSET 0) e;

-- PostgreSqlJournalSql.RowsFrom
SELECT "select", "is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`"
FROM "my ""schema"""."order by" AS journal_row
WHERE "select" >= $1
ORDER BY "select"
LIMIT $2;

-- PostgreSqlJournalSql.RowsInGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "select", "is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`"
    FROM "my ""schema"""."order by" AS journal_row
    WHERE "select" >= r.f
        AND "select" <= r.t
    ORDER BY "select"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.TagColumns
SELECT "tag;", "?1"
FROM "my ""schema"""."tag""s" AS tag_row
WHERE false;

-- PostgreSqlJournalSql.TagTable
"my ""schema"""."tag""s";

-- PostgreSqlJournalSql.TaggedKeys.From
SELECT "select", "the id's", "Sequence Number", "tags"
FROM "my ""schema"""."order by" AS journal_row
WHERE "select" >= $1
ORDER BY "select"
LIMIT $2;

-- PostgreSqlJournalSql.TaggedKeys.InGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "select", "the id's", "Sequence Number", "tags"
    FROM "my ""schema"""."order by" AS journal_row
    WHERE "select" >= r.f
        AND "select" <= r.t
    ORDER BY "select"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.Tags
SELECT r.i, e.*
FROM unnest($1::bigint[]) WITH ORDINALITY AS r (n, i)
CROSS JOIN LATERAL (SELECT "tag;"
    FROM "my ""schema"""."tag""s" AS tag_row
    WHERE "?1" = r.n
    OFFSET 0) e;

-- PostgreSqlJournalSql.TagsBetween
SELECT "?1", "tag;"
FROM "my ""schema"""."tag""s" AS tag_row
WHERE "?1" >= $1
    AND "?1" <= $2
ORDER BY "?1";

-- ShardMarkSql.AnyEvent
SELECT 1
FROM "my ""schema"""."order by" AS journal_row
ORDER BY "select"
LIMIT 1;

-- ShardMarkSql.Create
CREATE TABLE IF NOT EXISTS "my ""schema"""."throttled_shards" (journal_table VARCHAR(255) NOT NULL PRIMARY KEY, shard INTEGER NOT NULL, slices TEXT NOT NULL);

-- ShardMarkSql.Journal
"my ""schema"""."order by";

-- ShardMarkSql.Read
SELECT shard, slices
FROM "my ""schema"""."throttled_shards"
WHERE journal_table = $1;

-- ShardMarkSql.Table
"my ""schema"""."throttled_shards";

-- ShardMarkSql.Write
INSERT INTO "my ""schema"""."throttled_shards" (journal_table, shard, slices)
VALUES ($1, $2, $3);

-- PostgreSqlSchema.Create, 1: as in 'default layout, tag table'

-- PostgreSqlSchema.Create, 2
CREATE SCHEMA IF NOT EXISTS "my ""schema""";

-- PostgreSqlSchema.Create, 3
CREATE TABLE IF NOT EXISTS "my ""schema"""."order by" (
    "select" BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    "is [deleted]" BOOLEAN NOT NULL,
    "the id's" VARCHAR(255) NOT NULL,
    "Sequence Number" BIGINT NOT NULL,
    "from" BIGINT NOT NULL,
    "payload]" BYTEA NOT NULL,
    "--" INTEGER NULL,
    "`manifest`" VARCHAR(500) NULL,
    "$1" VARCHAR(128) NULL, UNIQUE ("the id's", "Sequence Number"));

-- PostgreSqlSchema.Create, 4
CREATE TABLE IF NOT EXISTS "my ""schema"""."tag""s" (
    "?1" BIGINT NOT NULL,
    "tag;" VARCHAR(64) NOT NULL,
    "@p1" BIGINT NOT NULL,
    "Größe" VARCHAR(255) NOT NULL,
    PRIMARY KEY ("?1", "tag;"));

-- PostgreSqlSchema.Create, 5
CREATE INDEX IF NOT EXISTS "tag""s_tag_ordering_idx" ON "my ""schema"""."tag""s" ("tag;", "?1");

-- PostgreSqlSchema.CopyEvents
COPY "my ""schema"""."order by" ("is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`", "$1")
FROM STDIN (FORMAT BINARY);

-- PostgreSqlSchema.CopyEvents, with orderings
COPY "my ""schema"""."order by" ("select", "is [deleted]", "the id's", "Sequence Number", "from", "payload]", "--", "`manifest`", "$1")
FROM STDIN (FORMAT BINARY);

-- PostgreSqlSchema.CopyTags
COPY "my ""schema"""."tag""s" ("?1", "tag;", "@p1", "Größe")
FROM STDIN (FORMAT BINARY);


-- == a table with the name of a list ==

-- PostgreSqlJournalSql.CreateTagIndex: as in 'default layout, tag table'

-- PostgreSqlJournalSql.FirstIds
WITH RECURSIVE their_ids (id, live) AS ((SELECT "persistence_id", NOT "deleted"
        FROM "ids" AS journal_row
        ORDER BY "persistence_id", "sequence_number"
        LIMIT 1)
    UNION ALL
    SELECT n.*
    FROM their_ids i
    CROSS JOIN LATERAL (SELECT "persistence_id", NOT "deleted"
        FROM "ids" AS journal_row
        WHERE "persistence_id" > i.id
        ORDER BY "persistence_id", "sequence_number"
        LIMIT 1) n)
SELECT i.id, i.live OR (SELECT true
    FROM "ids" AS journal_row
    WHERE "persistence_id" >= i.id
        AND "persistence_id" <= i.id
        AND NOT "deleted"
    ORDER BY "persistence_id", "sequence_number"
    LIMIT 1) IS NOT NULL
FROM their_ids i
LIMIT $1;

-- PostgreSqlJournalSql.FirstTagged: as in 'default layout, tag table'

-- PostgreSqlJournalSql.FromEnd
SELECT "ordering", "deleted", "persistence_id"
FROM "ids" AS journal_row
WHERE "ordering" < $1
ORDER BY "ordering" DESC
LIMIT $2;

-- PostgreSqlJournalSql.FromEndByTable
SELECT t.o, e.*, t.w
FROM (SELECT "ordering_id", "tag"
    FROM "tags" AS tag_row
    WHERE "tag" = $2
        AND "ordering_id" < $1
    ORDER BY "ordering_id" DESC
    LIMIT $3) t (o, w)
LEFT JOIN LATERAL (SELECT "deleted", "persistence_id"
    FROM "ids" AS journal_row
    WHERE "ordering" = t.o
    OFFSET 0) e ON true
ORDER BY t.o DESC;

-- PostgreSqlJournalSql.Ids
WITH RECURSIVE their_ids (id, live) AS ((SELECT "persistence_id", NOT "deleted"
        FROM "ids" AS journal_row
        WHERE "persistence_id" > $1
        ORDER BY "persistence_id", "sequence_number"
        LIMIT 1)
    UNION ALL
    SELECT n.*
    FROM their_ids i
    CROSS JOIN LATERAL (SELECT "persistence_id", NOT "deleted"
        FROM "ids" AS journal_row
        WHERE "persistence_id" > i.id
        ORDER BY "persistence_id", "sequence_number"
        LIMIT 1) n)
SELECT i.id, i.live OR (SELECT true
    FROM "ids" AS journal_row
    WHERE "persistence_id" >= i.id
        AND "persistence_id" <= i.id
        AND NOT "deleted"
    ORDER BY "persistence_id", "sequence_number"
    LIMIT 1) IS NOT NULL
FROM their_ids i
LIMIT $2;

-- PostgreSqlJournalSql.JournalTable
"ids";

-- PostgreSqlJournalSql.Keys.From
SELECT "ordering", "persistence_id", "sequence_number"
FROM "ids" AS journal_row
WHERE "ordering" >= $1
ORDER BY "ordering"
LIMIT $2;

-- PostgreSqlJournalSql.Keys.InGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "ordering", "persistence_id", "sequence_number"
    FROM "ids" AS journal_row
    WHERE "ordering" >= r.f
        AND "ordering" <= r.t
    ORDER BY "ordering"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.LastKey
SELECT "ordering", "persistence_id", "sequence_number"
FROM "ids" AS journal_row
ORDER BY "ordering" DESC
LIMIT 1;

-- PostgreSqlJournalSql.Ordered
SELECT "ordering", CASE WHEN "deleted" THEN '-' WHEN "identifier" = $4
    AND coalesce("manifest", '') COLLATE "C" = $5 THEN NULL ELSE coalesce("identifier"::text, '') || ':' || coalesce("manifest", '') END, "persistence_id", "sequence_number", "created", "message"
FROM "ids" AS journal_row
WHERE "ordering" > $1
    AND "ordering" <= $2
ORDER BY "ordering"
LIMIT $3;

-- PostgreSqlJournalSql.OrderedByColumn
SELECT "ordering", CASE WHEN "deleted" THEN '-' WHEN "identifier" = $5
    AND coalesce("manifest", '') COLLATE "C" = $6 THEN NULL ELSE coalesce("identifier"::text, '') || ':' || coalesce("manifest", '') END, "persistence_id", "sequence_number", "created", "message"
FROM "ids" AS journal_row
WHERE "ordering" > $1
    AND "ordering" <= $2
    AND "tags" <> ''
    AND "tags" COLLATE "C" LIKE ANY ($3)
ORDER BY "ordering"
LIMIT $4;

-- PostgreSqlJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT "ordering_id" AS o
    FROM "tags" AS tag_row
    WHERE "tag" = $3
        AND "ordering_id" > $1
        AND "ordering_id" <= $2
    ORDER BY "ordering_id"
    LIMIT $4) t
LEFT JOIN LATERAL (SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
    FROM "ids" AS journal_row
    WHERE "ordering" = t.o
    OFFSET 0) e ON true
ORDER BY t.o;

-- PostgreSqlJournalSql.Pages
SELECT r.member, e.*
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[]) WITH ORDINALITY AS r (id, f, t, n, member)
CROSS JOIN LATERAL (SELECT "ordering", CASE WHEN "deleted" THEN '-' WHEN "identifier" = $6
        AND coalesce("manifest", '') COLLATE "C" = $7 THEN NULL ELSE coalesce("identifier"::text, '') || ':' || coalesce("manifest", '') END, "sequence_number", "created", "message"
    FROM "ids" AS journal_row
    WHERE "persistence_id" = r.id
        AND "persistence_id" COLLATE "C" = r.id
        AND "sequence_number" >= r.f
        AND "sequence_number" <= r.t
    ORDER BY "sequence_number"
    LIMIT r.n) e
LIMIT $5;

-- PostgreSqlJournalSql.Probe
SELECT current_setting('max_connections')::int, pg_is_in_recovery(), (SELECT format('%I.%I', n.nspname, c.relname)
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = s.oid), (SELECT seqcache
        FROM pg_sequence
        WHERE seqrelid = s.oid), (SELECT seqincrement
            FROM pg_sequence
            WHERE seqrelid = s.oid), EXISTS (SELECT
                FROM pg_subscription_rel r
                WHERE r.srrelid = to_regclass($1) OR r.srrelid IN (SELECT p.relid
                    FROM pg_partition_tree(to_regclass($1)) p)), has_sequence_privilege(s.oid, 'SELECT'), current_user::text, EXISTS (SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
                        FROM "ids" AS journal_row
                        WHERE false), current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0)
FROM (SELECT (SELECT CASE WHEN a.attidentity <> '' OR NOT a.atthasdef THEN to_regclass(pg_get_serial_sequence($1, $2))::oid ELSE (SELECT CASE WHEN count(DISTINCT c.oid) = 1 THEN min(c.oid) END
            FROM pg_attrdef f
            JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass
                AND d.objid = f.oid
                AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class c ON c.oid = d.refobjid
                AND c.relkind = 'S'
            WHERE f.adrelid = a.attrelid
                AND f.adnum = a.attnum) END
        FROM pg_attribute a
        WHERE a.attrelid = to_regclass($1)
            AND a.attname = $2
            AND NOT a.attisdropped)) AS s (oid);

-- PostgreSqlJournalSql.Rows
SELECT e.*
FROM unnest($1::bigint[]) WITH ORDINALITY AS r (n, i)
CROSS JOIN LATERAL (SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
    FROM "ids" AS journal_row
    WHERE "ordering" = r.n
    OFFSET 0) e;

-- PostgreSqlJournalSql.RowsFrom
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
FROM "ids" AS journal_row
WHERE "ordering" >= $1
ORDER BY "ordering"
LIMIT $2;

-- PostgreSqlJournalSql.RowsInGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest"
    FROM "ids" AS journal_row
    WHERE "ordering" >= r.f
        AND "ordering" <= r.t
    ORDER BY "ordering"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.TagColumns: as in 'default layout, tag table'

-- PostgreSqlJournalSql.TagTable: as in 'default layout, tag table'

-- PostgreSqlJournalSql.TaggedKeys.From
SELECT "ordering", "persistence_id", "sequence_number", "tags"
FROM "ids" AS journal_row
WHERE "ordering" >= $1
ORDER BY "ordering"
LIMIT $2;

-- PostgreSqlJournalSql.TaggedKeys.InGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "ordering", "persistence_id", "sequence_number", "tags"
    FROM "ids" AS journal_row
    WHERE "ordering" >= r.f
        AND "ordering" <= r.t
    ORDER BY "ordering"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.Tags: as in 'default layout, tag table'

-- PostgreSqlJournalSql.TagsBetween: as in 'default layout, tag table'

-- ShardMarkSql.AnyEvent
SELECT 1
FROM "ids" AS journal_row
ORDER BY "ordering"
LIMIT 1;

-- ShardMarkSql.Create: as in 'default layout, tag table'

-- ShardMarkSql.Journal
"ids";

-- ShardMarkSql.Read: as in 'default layout, tag table'

-- ShardMarkSql.Table: as in 'default layout, tag table'

-- ShardMarkSql.Write: as in 'default layout, tag table'

-- PostgreSqlSchema.Create, 1: as in 'default layout, tag table'

-- PostgreSqlSchema.Create, 2
CREATE TABLE IF NOT EXISTS "ids" (
    "ordering" BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    "deleted" BOOLEAN NOT NULL,
    "persistence_id" VARCHAR(255) NOT NULL,
    "sequence_number" BIGINT NOT NULL,
    "created" BIGINT NOT NULL,
    "message" BYTEA NOT NULL,
    "identifier" INTEGER NULL,
    "manifest" VARCHAR(500) NULL,
    "writer_uuid" VARCHAR(128) NULL, UNIQUE ("persistence_id", "sequence_number"));

-- PostgreSqlSchema.Create, 3: as in 'default layout, tag table'

-- PostgreSqlSchema.Create, 4: as in 'default layout, tag table'

-- PostgreSqlSchema.CopyEvents
COPY "ids" ("deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest", "writer_uuid")
FROM STDIN (FORMAT BINARY);

-- PostgreSqlSchema.CopyEvents, with orderings
COPY "ids" ("ordering", "deleted", "persistence_id", "sequence_number", "created", "message", "identifier", "manifest", "writer_uuid")
FROM STDIN (FORMAT BINARY);

-- PostgreSqlSchema.CopyTags: as in 'default layout, tag table'


-- == default layout, payloads above 1,000 bytes left out ==

-- PostgreSqlJournalSql.CreateTagIndex: as in 'default layout, tag table'

-- PostgreSqlJournalSql.FirstIds: as in 'default layout, tag table'

-- PostgreSqlJournalSql.FirstTagged: as in 'default layout, tag table'

-- PostgreSqlJournalSql.FromEnd: as in 'default layout, tag table'

-- PostgreSqlJournalSql.FromEndByTable: as in 'default layout, tag table'

-- PostgreSqlJournalSql.Ids: as in 'default layout, tag table'

-- PostgreSqlJournalSql.JournalTable: as in 'default layout, tag table'

-- PostgreSqlJournalSql.Keys.From: as in 'default layout, tag table'

-- PostgreSqlJournalSql.Keys.InGaps: as in 'default layout, tag table'

-- PostgreSqlJournalSql.LastKey: as in 'default layout, tag table'

-- PostgreSqlJournalSql.Ordered
SELECT "ordering", CASE WHEN "deleted" THEN '-' WHEN "identifier" = $4
    AND coalesce("manifest", '') COLLATE "C" = $5 THEN NULL ELSE coalesce("identifier"::text, '') || ':' || coalesce("manifest", '') END, "persistence_id", "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
FROM "journal" AS journal_row
WHERE "ordering" > $1
    AND "ordering" <= $2
ORDER BY "ordering"
LIMIT $3;

-- PostgreSqlJournalSql.OrderedByColumn
SELECT "ordering", CASE WHEN "deleted" THEN '-' WHEN "identifier" = $5
    AND coalesce("manifest", '') COLLATE "C" = $6 THEN NULL ELSE coalesce("identifier"::text, '') || ':' || coalesce("manifest", '') END, "persistence_id", "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
FROM "journal" AS journal_row
WHERE "ordering" > $1
    AND "ordering" <= $2
    AND "tags" <> ''
    AND "tags" COLLATE "C" LIKE ANY ($3)
ORDER BY "ordering"
LIMIT $4;

-- PostgreSqlJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT "ordering_id" AS o
    FROM "tags" AS tag_row
    WHERE "tag" = $3
        AND "ordering_id" > $1
        AND "ordering_id" <= $2
    ORDER BY "ordering_id"
    LIMIT $4) t
LEFT JOIN LATERAL (SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", "identifier", "manifest", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
    FROM "journal" AS journal_row
    WHERE "ordering" = t.o
    OFFSET 0) e ON true
ORDER BY t.o;

-- PostgreSqlJournalSql.Pages
SELECT r.member, e.*
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[]) WITH ORDINALITY AS r (id, f, t, n, member)
CROSS JOIN LATERAL (SELECT "ordering", CASE WHEN "deleted" THEN '-' WHEN "identifier" = $6
        AND coalesce("manifest", '') COLLATE "C" = $7 THEN NULL ELSE coalesce("identifier"::text, '') || ':' || coalesce("manifest", '') END, "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
    FROM "journal" AS journal_row
    WHERE "persistence_id" = r.id
        AND "persistence_id" COLLATE "C" = r.id
        AND "sequence_number" >= r.f
        AND "sequence_number" <= r.t
    ORDER BY "sequence_number"
    LIMIT r.n) e
LIMIT $5;

-- PostgreSqlJournalSql.Probe: as in 'default layout, tag table'

-- PostgreSqlJournalSql.Rows
SELECT e.*
FROM unnest($1::bigint[]) WITH ORDINALITY AS r (n, i)
CROSS JOIN LATERAL (SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", "identifier", "manifest", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
    FROM "journal" AS journal_row
    WHERE "ordering" = r.n
    OFFSET 0) e;

-- PostgreSqlJournalSql.RowsFrom
SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", "identifier", "manifest", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
FROM "journal" AS journal_row
WHERE "ordering" >= $1
ORDER BY "ordering"
LIMIT $2;

-- PostgreSqlJournalSql.RowsInGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "ordering", "deleted", "persistence_id", "sequence_number", "created", CASE WHEN octet_length("message") > 1000 THEN NULL ELSE "message" END AS "message", "identifier", "manifest", CASE WHEN octet_length("message") > 1000 THEN octet_length("message") END AS left_out
    FROM "journal" AS journal_row
    WHERE "ordering" >= r.f
        AND "ordering" <= r.t
    ORDER BY "ordering"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.TagColumns: as in 'default layout, tag table'

-- PostgreSqlJournalSql.TagTable: as in 'default layout, tag table'

-- PostgreSqlJournalSql.TaggedKeys.From: as in 'default layout, tag table'

-- PostgreSqlJournalSql.TaggedKeys.InGaps: as in 'default layout, tag table'

-- PostgreSqlJournalSql.Tags: as in 'default layout, tag table'

-- PostgreSqlJournalSql.TagsBetween: as in 'default layout, tag table'


-- == layout of Akka.Persistence.PostgreSql, payloads of jsonb above 1,000 bytes left out ==

-- PostgreSqlJournalSql.CreateTagIndex: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.FirstIds: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.FirstTagged: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.FromEnd: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.FromEndByTable: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.Ids: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.JournalTable: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.Keys.From: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.Keys.InGaps: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.LastKey: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.Ordered
SELECT "ordering", CASE WHEN "is_deleted" THEN '-' WHEN "serializer_id" = $4
    AND coalesce("manifest", '') COLLATE "C" = $5 THEN NULL ELSE coalesce("serializer_id"::text, '') || ':' || coalesce("manifest", '') END, "persistence_id", "sequence_nr", "created_at", CASE WHEN octet_length("payload"::text) > 1000 THEN NULL ELSE "payload" END AS "payload", "tags", CASE WHEN octet_length("payload"::text) > 1000 THEN octet_length("payload"::text) END AS left_out
FROM "public"."event_journal" AS journal_row
WHERE "ordering" > $1
    AND "ordering" <= $2
ORDER BY "ordering"
LIMIT $3;

-- PostgreSqlJournalSql.OrderedByColumn
SELECT "ordering", CASE WHEN "is_deleted" THEN '-' WHEN "serializer_id" = $5
    AND coalesce("manifest", '') COLLATE "C" = $6 THEN NULL ELSE coalesce("serializer_id"::text, '') || ':' || coalesce("manifest", '') END, "persistence_id", "sequence_nr", "created_at", CASE WHEN octet_length("payload"::text) > 1000 THEN NULL ELSE "payload" END AS "payload", "tags", CASE WHEN octet_length("payload"::text) > 1000 THEN octet_length("payload"::text) END AS left_out
FROM "public"."event_journal" AS journal_row
WHERE "ordering" > $1
    AND "ordering" <= $2
    AND "tags" <> ''
    AND "tags" COLLATE "C" LIKE ANY ($3)
ORDER BY "ordering"
LIMIT $4;

-- PostgreSqlJournalSql.OrderedByTable
SELECT t.o, e.*
FROM (SELECT DISTINCT "ordering_id" AS o
    FROM "public"."tags" AS tag_row
    WHERE "tag" = $3
        AND "ordering_id" > $1
        AND "ordering_id" <= $2
    ORDER BY "ordering_id"
    LIMIT $4) t
LEFT JOIN LATERAL (SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "created_at", CASE WHEN octet_length("payload"::text) > 1000 THEN NULL ELSE "payload" END AS "payload", "serializer_id", "manifest", "tags", CASE WHEN octet_length("payload"::text) > 1000 THEN octet_length("payload"::text) END AS left_out
    FROM "public"."event_journal" AS journal_row
    WHERE "ordering" = t.o
    OFFSET 0) e ON true
ORDER BY t.o;

-- PostgreSqlJournalSql.Pages
SELECT r.member, e.*
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[]) WITH ORDINALITY AS r (id, f, t, n, member)
CROSS JOIN LATERAL (SELECT "ordering", CASE WHEN "is_deleted" THEN '-' WHEN "serializer_id" = $6
        AND coalesce("manifest", '') COLLATE "C" = $7 THEN NULL ELSE coalesce("serializer_id"::text, '') || ':' || coalesce("manifest", '') END, "sequence_nr", "created_at", CASE WHEN octet_length("payload"::text) > 1000 THEN NULL ELSE "payload" END AS "payload", "tags", CASE WHEN octet_length("payload"::text) > 1000 THEN octet_length("payload"::text) END AS left_out
    FROM "public"."event_journal" AS journal_row
    WHERE "persistence_id" = r.id
        AND "persistence_id" COLLATE "C" = r.id
        AND "sequence_nr" >= r.f
        AND "sequence_nr" <= r.t
    ORDER BY "sequence_nr"
    LIMIT r.n) e
LIMIT $5;

-- PostgreSqlJournalSql.Probe: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.Rows
SELECT e.*
FROM unnest($1::bigint[]) WITH ORDINALITY AS r (n, i)
CROSS JOIN LATERAL (SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "created_at", CASE WHEN octet_length("payload"::text) > 1000 THEN NULL ELSE "payload" END AS "payload", "serializer_id", "manifest", "tags", CASE WHEN octet_length("payload"::text) > 1000 THEN octet_length("payload"::text) END AS left_out
    FROM "public"."event_journal" AS journal_row
    WHERE "ordering" = r.n
    OFFSET 0) e;

-- PostgreSqlJournalSql.RowsFrom
SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "created_at", CASE WHEN octet_length("payload"::text) > 1000 THEN NULL ELSE "payload" END AS "payload", "serializer_id", "manifest", "tags", CASE WHEN octet_length("payload"::text) > 1000 THEN octet_length("payload"::text) END AS left_out
FROM "public"."event_journal" AS journal_row
WHERE "ordering" >= $1
ORDER BY "ordering"
LIMIT $2;

-- PostgreSqlJournalSql.RowsInGaps
SELECT e.*
FROM unnest($1::bigint[], $2::bigint[]) AS r (f, t)
CROSS JOIN LATERAL (SELECT "ordering", "is_deleted", "persistence_id", "sequence_nr", "created_at", CASE WHEN octet_length("payload"::text) > 1000 THEN NULL ELSE "payload" END AS "payload", "serializer_id", "manifest", "tags", CASE WHEN octet_length("payload"::text) > 1000 THEN octet_length("payload"::text) END AS left_out
    FROM "public"."event_journal" AS journal_row
    WHERE "ordering" >= r.f
        AND "ordering" <= r.t
    ORDER BY "ordering"
    LIMIT $3) e
ORDER BY 1
LIMIT $3;

-- PostgreSqlJournalSql.TagColumns: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.TagTable: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.TaggedKeys.From: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.TaggedKeys.InGaps: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.Tags: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'

-- PostgreSqlJournalSql.TagsBetween: as in 'layout of Akka.Persistence.PostgreSql, tags in a column'
