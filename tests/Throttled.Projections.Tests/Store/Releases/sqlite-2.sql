-- The tables of projections of version 2 on SQLite, as they were. This file does not change.

CREATE TABLE IF NOT EXISTS throttled_projection (
    version text NOT NULL PRIMARY KEY,
    projection text NOT NULL,
    role text NOT NULL,
    source text NOT NULL,
    lanes integer NOT NULL,
    epoch INTEGER NOT NULL,
    paused INTEGER NOT NULL,
    resumes INTEGER NOT NULL,
    journal_end INTEGER NOT NULL,
    journal_end_seen_at TEXT);

CREATE TABLE IF NOT EXISTS throttled_projection_shard (
    version text NOT NULL,
    shard integer NOT NULL,
    first_slice integer NOT NULL,
    last_slice integer NOT NULL,
    journal_end INTEGER NOT NULL,
    journal_end_seen_at TEXT,
    PRIMARY KEY (version, shard));

CREATE TABLE IF NOT EXISTS throttled_projection_offset (
    version text NOT NULL,
    first_slice integer NOT NULL,
    last_slice integer NOT NULL,
    ordering INTEGER NOT NULL,
    timestamp INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    events INTEGER NOT NULL,
    unhandled bigint NOT NULL DEFAULT 0,
    moved_at TEXT,
    PRIMARY KEY (version, first_slice));

CREATE TABLE IF NOT EXISTS throttled_projection_lane (
    version text NOT NULL,
    lane integer NOT NULL,
    first_slice integer NOT NULL,
    last_slice integer NOT NULL,
    owner text,
    lease_until TEXT,
    state text NOT NULL,
    error text,
    events_per_second REAL NOT NULL,
    read_up_to bigint NOT NULL DEFAULT 0,
    updated_at TEXT,
    PRIMARY KEY (version, lane));

CREATE TABLE IF NOT EXISTS throttled_projection_process (
    projection text NOT NULL,
    process text NOT NULL,
    lease_until TEXT NOT NULL,
    PRIMARY KEY (projection, process));

CREATE TABLE IF NOT EXISTS throttled_projection_dead_letter (
    version text NOT NULL,
    persistence_id text NOT NULL,
    sequence_number INTEGER NOT NULL,
    ordering INTEGER NOT NULL,
    slice integer NOT NULL,
    timestamp INTEGER NOT NULL,
    serializer_id integer,
    manifest text NOT NULL,
    payload BLOB NOT NULL,
    omitted_bytes integer NOT NULL,
    tags text NOT NULL,
    error text,
    attempts integer NOT NULL,
    dead_lettered_at TEXT NOT NULL,
    tried_at TEXT,
    PRIMARY KEY (version, persistence_id, ordering));

CREATE INDEX IF NOT EXISTS throttled_projection_dead_letter_slice ON throttled_projection_dead_letter (version, slice);

CREATE TABLE IF NOT EXISTS throttled_projection_command (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    projection text NOT NULL,
    version text NOT NULL,
    verb text NOT NULL,
    persistence_id text,
    sequence_number INTEGER,
    ordering INTEGER,
    timestamp INTEGER,
    sharded_offset text,
    lanes integer,
    slice integer,
    state text NOT NULL,
    result text,
    created_at TEXT NOT NULL,
    done_at TEXT);

CREATE INDEX IF NOT EXISTS throttled_projection_command_waiting ON throttled_projection_command (projection, id) WHERE state = 'Waiting';

CREATE INDEX IF NOT EXISTS throttled_projection_command_done ON throttled_projection_command (done_at) WHERE done_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS throttled_projection_schema (version integer NOT NULL PRIMARY KEY, usable_from integer NOT NULL);

CREATE VIEW throttled_projection_status AS WITH shards AS (
    SELECT h.version, h.shard, h.first_slice, h.last_slice, h.journal_end, h.journal_end_seen_at,
        (SELECT min(max(o.ordering, CASE WHEN (l.lease_until > strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AND l.lease_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', 7200))) THEN l.read_up_to ELSE 0 END)) FROM throttled_projection_offset AS o JOIN throttled_projection_lane AS l ON l.version = o.version AND o.first_slice BETWEEN l.first_slice AND l.last_slice WHERE o.version = h.version AND o.first_slice BETWEEN h.first_slice AND h.last_slice) AS current_offset,
        coalesce((SELECT o.timestamp FROM throttled_projection_offset AS o JOIN throttled_projection_lane AS l ON l.version = o.version AND o.first_slice BETWEEN l.first_slice AND l.last_slice WHERE o.version = h.version AND o.first_slice BETWEEN h.first_slice AND h.last_slice ORDER BY max(o.ordering, CASE WHEN (l.lease_until > strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AND l.lease_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', 7200))) THEN l.read_up_to ELSE 0 END), o.timestamp LIMIT 1), 0) AS timestamp
    FROM (
        SELECT version, shard, first_slice, last_slice, journal_end, journal_end_seen_at FROM throttled_projection_shard
        UNION ALL
        SELECT p.version, -1, 0, 1023, p.journal_end, p.journal_end_seen_at FROM throttled_projection AS p
        WHERE NOT EXISTS (SELECT 1 FROM throttled_projection_shard AS t WHERE t.version = p.version)) AS h), journals AS (
    SELECT s.version,
        CAST(sum(s.current_offset) AS bigint) AS current_offset,
        CAST(sum(max(s.journal_end, coalesce(s.current_offset, 0))) AS bigint) AS journal_end,
        CASE WHEN sum(CASE WHEN (s.shard = -1 OR s.current_offset IS NOT NULL) AND s.journal_end_seen_at IS NULL THEN 1 ELSE 0 END) = 0
            THEN min(CASE WHEN s.shard = -1 OR s.current_offset IS NOT NULL THEN s.journal_end_seen_at END) END AS journal_end_seen_at,
        CAST(sum(CASE WHEN s.current_offset < s.journal_end THEN s.journal_end - s.current_offset ELSE 0 END) AS bigint) AS lag,
        min(CASE WHEN s.current_offset < s.journal_end THEN s.timestamp END) AS timestamp,
        group_concat(CASE WHEN s.shard <> -1 THEN s.first_slice || '-' || s.last_slice || ':' || coalesce(s.current_offset, 0) END, ',') AS current_offsets,
        group_concat(CASE WHEN s.shard <> -1 THEN s.first_slice || '-' || s.last_slice || ':' || max(s.journal_end, coalesce(s.current_offset, 0)) END, ',') AS journal_ends
    FROM (SELECT * FROM shards ORDER BY version, shard) AS s GROUP BY s.version)
SELECT s.projection, s.version, s.role, s.source, s.paused, s.lanes, s.lanes_running, s.lanes_failed, s.current_offset, s.journal_end, s.journal_end_seen_at,
    CASE WHEN s.journal_end_seen_at IS NULL OR s.journal_end_seen_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', -15)) THEN NULL ELSE s.lag END AS lag_events,
    CASE WHEN s.journal_end_seen_at IS NULL OR s.journal_end_seen_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', -15)) THEN NULL WHEN s.lag = 0 THEN 0.0 WHEN s.timestamp = 0 THEN NULL
        ELSE max(((julianday('now') - 2440587.5) * 86400.0) - (s.timestamp - 621355968000000000) / 10000000.0, 0.0) END AS lag_seconds,
    s.events_per_second,
    CASE WHEN s.journal_end_seen_at IS NULL OR s.journal_end_seen_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', -15)) THEN NULL WHEN s.lag = 0 THEN 0.0 WHEN s.events_per_second > 0
        THEN s.lag * (CASE WHEN s.source <> 'all' AND s.events > 0 AND s.events < s.current_offset THEN s.events * 1.0 / s.current_offset ELSE 1.0 END) / s.events_per_second END AS seconds_left,
    s.events, s.dead_letters, s.commands_waiting, s.current_offsets, s.journal_ends, s.unhandled
FROM (
    SELECT p.projection, p.version, p.role, p.source, p.paused, p.lanes, j.journal_end, j.journal_end_seen_at, j.current_offset, j.lag, j.timestamp, j.current_offsets, j.journal_ends,
        coalesce((SELECT CAST(sum(o.events) AS bigint) FROM throttled_projection_offset AS o WHERE o.version = p.version), 0) AS events,
        coalesce((SELECT CAST(sum(o.unhandled) AS bigint) FROM throttled_projection_offset AS o WHERE o.version = p.version), 0) AS unhandled,
        (SELECT count(*) FROM throttled_projection_lane AS l WHERE l.version = p.version AND (l.lease_until > strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AND l.lease_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', 7200)))
            AND l.state IN ('Running', 'Retrying')) AS lanes_running,
        (SELECT count(*) FROM throttled_projection_lane AS l WHERE l.version = p.version AND (l.lease_until > strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AND l.lease_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', 7200)))
            AND l.state = 'Failed') AS lanes_failed,
        coalesce((SELECT sum(l.events_per_second) FROM throttled_projection_lane AS l WHERE l.version = p.version AND (l.lease_until > strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AND l.lease_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', 7200)))), 0.0)
            AS events_per_second,
        (SELECT count(*) FROM throttled_projection_dead_letter AS d WHERE d.version = p.version) AS dead_letters,
        (SELECT count(*) FROM throttled_projection_command AS c WHERE c.projection = p.projection AND c.version = p.version
            AND c.state = 'Waiting') AS commands_waiting
    FROM throttled_projection AS p JOIN journals AS j ON j.version = p.version) AS s;

INSERT INTO throttled_projection_schema (version, usable_from) VALUES (2, 1) ON CONFLICT (version) DO NOTHING;
