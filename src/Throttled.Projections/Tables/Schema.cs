namespace Throttled.Projections.Tables;

/// <summary>The tables of projections: names and definitions.</summary>
internal static class Schema
{
    internal const string Projection = "throttled_projection";
    internal const string Shard = "throttled_projection_shard";
    internal const string Offset = "throttled_projection_offset";
    internal const string Lane = "throttled_projection_lane";
    internal const string Process = "throttled_projection_process";
    internal const string DeadLetter = "throttled_projection_dead_letter";
    internal const string Command = "throttled_projection_command";
    internal const string SchemaVersion = "throttled_projection_schema";
    internal const string Status = "throttled_projection_status";

    /// <summary>All tables, and the view.</summary>
    internal static IReadOnlyList<string> Names { get; } = [Projection, Shard, Offset, Lane, Process, DeadLetter, Command, SchemaVersion, Status];

    /// <summary>
    /// Statements that create the missing tables, without the view. The parameters are SQL types of the database: <c>ticks</c> is a 64-bit integer,
    /// <c>number</c> a floating-point number, <c>identity</c> an ascending key that the database generates. <c>often</c> ends the definition of a
    /// table whose rows are updated all the time.
    /// </summary>
    internal static IEnumerable<string> Create(
        string ticks, string time, string flag, string bytes, string number, string identity, string often) =>
    [
        $"""
        CREATE TABLE IF NOT EXISTS {Projection} (
            version text NOT NULL PRIMARY KEY,
            projection text NOT NULL,
            role text NOT NULL,
            source text NOT NULL,
            lanes integer NOT NULL,
            epoch {ticks} NOT NULL,
            paused {flag} NOT NULL,
            resumes {ticks} NOT NULL,
            journal_end {ticks} NOT NULL,
            journal_end_seen_at {time}){often}
        """,
        $"""
        CREATE TABLE IF NOT EXISTS {Shard} (
            version text NOT NULL,
            shard integer NOT NULL,
            first_slice integer NOT NULL,
            last_slice integer NOT NULL,
            journal_end {ticks} NOT NULL,
            journal_end_seen_at {time},
            PRIMARY KEY (version, shard)){often}
        """,
        $"""
        CREATE TABLE IF NOT EXISTS {Offset} (
            version text NOT NULL,
            first_slice integer NOT NULL,
            last_slice integer NOT NULL,
            ordering {ticks} NOT NULL,
            timestamp {ticks} NOT NULL,
            epoch {ticks} NOT NULL,
            events {ticks} NOT NULL,
            unhandled bigint NOT NULL DEFAULT 0,
            moved_at {time},
            PRIMARY KEY (version, first_slice)){often}
        """,
        $"""
        CREATE TABLE IF NOT EXISTS {Lane} (
            version text NOT NULL,
            lane integer NOT NULL,
            first_slice integer NOT NULL,
            last_slice integer NOT NULL,
            owner text,
            lease_until {time},
            state text NOT NULL,
            error text,
            events_per_second {number} NOT NULL,
            read_up_to bigint NOT NULL DEFAULT 0,
            updated_at {time},
            PRIMARY KEY (version, lane)){often}
        """,
        $"""
        CREATE TABLE IF NOT EXISTS {Process} (
            projection text NOT NULL,
            process text NOT NULL,
            lease_until {time} NOT NULL,
            PRIMARY KEY (projection, process)){often}
        """,
        $"""
        CREATE TABLE IF NOT EXISTS {DeadLetter} (
            version text NOT NULL,
            persistence_id text NOT NULL,
            sequence_number {ticks} NOT NULL,
            ordering {ticks} NOT NULL,
            slice integer NOT NULL,
            timestamp {ticks} NOT NULL,
            serializer_id integer,
            manifest text NOT NULL,
            payload {bytes} NOT NULL,
            omitted_bytes integer NOT NULL,
            tags text NOT NULL,
            error text,
            attempts integer NOT NULL,
            dead_lettered_at {time} NOT NULL,
            tried_at {time},
            PRIMARY KEY (version, persistence_id, ordering))
        """,
        $"CREATE INDEX IF NOT EXISTS {DeadLetter}_slice ON {DeadLetter} (version, slice)",
        $"""
        CREATE TABLE IF NOT EXISTS {Command} (
            id {identity},
            projection text NOT NULL,
            version text NOT NULL,
            verb text NOT NULL,
            persistence_id text,
            sequence_number {ticks},
            ordering {ticks},
            timestamp {ticks},
            sharded_offset text,
            lanes integer,
            slice integer,
            state text NOT NULL,
            result text,
            created_at {time} NOT NULL,
            done_at {time})
        """,
        $"CREATE INDEX IF NOT EXISTS {Command}_waiting ON {Command} (projection, id) WHERE state = '{nameof(CommandState.Waiting)}'",
        $"CREATE INDEX IF NOT EXISTS {Command}_done ON {Command} (done_at) WHERE done_at IS NOT NULL",
        $"CREATE TABLE IF NOT EXISTS {SchemaVersion} (version integer NOT NULL PRIMARY KEY, usable_from integer NOT NULL)",
    ];

    /// <summary>
    /// Statements that add what the tables of the previous version lack. A released step never changes. What it adds has a default, because processes
    /// of the previous release still run.
    /// </summary>
    /// <param name="version">The version that the tables have after this step.</param>
    /// <param name="add">Adds a column to a table. It does nothing if the column exists and the database can express that.</param>
    internal static IEnumerable<string> Step(int version, Func<string, string, string> add) => version switch
    {
        // Same order as a reset: it locks the commands first, then the offsets, and may hold them for long.
        2 => [add(Command, "lanes integer"), add(Offset, "unhandled bigint NOT NULL DEFAULT 0")],
        _ => throw new ArgumentOutOfRangeException(nameof(version), version, "There is no such version."),
    };
}
