using Throttled.Projections.Databases;

namespace Throttled.Projections.Tables;

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

    /// <summary>Tables of version 1 do not store their version.</summary>
    internal const int Version = 4;

    /// <summary>Since this version, a command has columns for who gave it and why.</summary>
    internal const int FirstWithOrigins = 3;

    /// <summary>Since this version, the owner of a lane reports that a pause has stopped it.</summary>
    internal const int FirstWithStops = 4;

    /// <summary>The lowest version whose releases can use these tables. So an old process that restarts during an update still works.</summary>
    internal const int UsableFrom = 1;

    internal static IReadOnlyList<string> Names { get; } = [Projection, Shard, Offset, Lane, Process, DeadLetter, Command, SchemaVersion, Status];

    /// <summary>Brings tables of a version up to date and creates the missing ones. <paramref name="from"/> is 0 if there are none.</summary>
    internal static IEnumerable<string> Statements(ReadModelDialect dialect, int from) =>
    [
        .. Optional(dialect.InstallTimeout),
        .. from == 0 ? [] : Enumerable.Range(from + 1, Version - from).SelectMany(version => Step(dialect, version)),
        .. Create(dialect.Types),
        .. dialect.CreateView(Status, StatusView.Select(dialect)),
        // Roles that were granted the tables before this one existed must be able to read it, too.
        .. Optional(dialect.GrantRead(SchemaVersion)),
        $"INSERT INTO {SchemaVersion} (version, usable_from) VALUES ({Version}, {UsableFrom}) ON CONFLICT (version) DO NOTHING",
    ];

    private static IEnumerable<string> Optional(string? statement) => statement is null ? [] : [statement];

    // The missing tables, without the view.
    private static IEnumerable<string> Create(TableTypes types) =>
    [
        $"""
        CREATE TABLE IF NOT EXISTS {Projection} (
            version text NOT NULL PRIMARY KEY,
            projection text NOT NULL,
            role text NOT NULL,
            source text NOT NULL,
            lanes integer NOT NULL,
            epoch {types.Ticks} NOT NULL,
            paused {types.Flag} NOT NULL,
            resumes {types.Ticks} NOT NULL,
            journal_end {types.Ticks} NOT NULL,
            journal_end_seen_at {types.Time},
            history text,
            start_offset text){types.Often}
        """,
        $"""
        CREATE TABLE IF NOT EXISTS {Shard} (
            version text NOT NULL,
            shard integer NOT NULL,
            first_slice integer NOT NULL,
            last_slice integer NOT NULL,
            journal_end {types.Ticks} NOT NULL,
            journal_end_seen_at {types.Time},
            PRIMARY KEY (version, shard)){types.Often}
        """,
        $"""
        CREATE TABLE IF NOT EXISTS {Offset} (
            version text NOT NULL,
            first_slice integer NOT NULL,
            last_slice integer NOT NULL,
            ordering {types.Ticks} NOT NULL,
            timestamp {types.Ticks} NOT NULL,
            epoch {types.Ticks} NOT NULL,
            events {types.Ticks} NOT NULL,
            unhandled bigint NOT NULL DEFAULT 0,
            moved_at {types.Time},
            PRIMARY KEY (version, first_slice)){types.Often}
        """,
        $"""
        CREATE TABLE IF NOT EXISTS {Lane} (
            version text NOT NULL,
            lane integer NOT NULL,
            first_slice integer NOT NULL,
            last_slice integer NOT NULL,
            owner text,
            lease_until {types.Time},
            state text NOT NULL,
            error text,
            events_per_second {types.Number} NOT NULL,
            read_up_to bigint NOT NULL DEFAULT 0,
            stopped_after_resumes bigint,
            updated_at {types.Time},
            PRIMARY KEY (version, lane)){types.Often}
        """,
        $"""
        CREATE TABLE IF NOT EXISTS {Process} (
            projection text NOT NULL,
            process text NOT NULL,
            lease_until {types.Time} NOT NULL,
            PRIMARY KEY (projection, process)){types.Often}
        """,
        $"""
        CREATE TABLE IF NOT EXISTS {DeadLetter} (
            version text NOT NULL,
            persistence_id text NOT NULL,
            sequence_number {types.Ticks} NOT NULL,
            ordering {types.Ticks} NOT NULL,
            slice integer NOT NULL,
            timestamp {types.Ticks} NOT NULL,
            serializer_id integer,
            manifest text NOT NULL,
            payload {types.Bytes} NOT NULL,
            omitted_bytes integer NOT NULL,
            tags text NOT NULL,
            error text,
            attempts integer NOT NULL,
            dead_lettered_at {types.Time} NOT NULL,
            tried_at {types.Time},
            PRIMARY KEY (version, persistence_id, ordering))
        """,
        $"CREATE INDEX IF NOT EXISTS {DeadLetter}_slice ON {DeadLetter} (version, slice)",
        $"""
        CREATE TABLE IF NOT EXISTS {Command} (
            id {types.Identity},
            projection text NOT NULL,
            version text NOT NULL,
            verb text NOT NULL,
            persistence_id text,
            sequence_number {types.Ticks},
            ordering {types.Ticks},
            timestamp {types.Ticks},
            sharded_offset text,
            lanes integer,
            slice integer,
            state text NOT NULL,
            result text,
            created_at {types.Time} NOT NULL,
            done_at {types.Time},
            given_by text,
            given_on text,
            reason text)
        """,
        $"CREATE INDEX IF NOT EXISTS {Command}_waiting ON {Command} (projection, id) WHERE state = '{nameof(CommandState.Waiting)}'",
        $"CREATE INDEX IF NOT EXISTS {Command}_done ON {Command} (done_at) WHERE done_at IS NOT NULL",
        $"CREATE TABLE IF NOT EXISTS {SchemaVersion} (version integer NOT NULL PRIMARY KEY, usable_from integer NOT NULL)",
    ];

    // Adds what the tables of the previous version lack. A released step never changes. What it adds has a default, because processes of the previous
    // release still run.
    private static IEnumerable<string> Step(ReadModelDialect dialect, int version) => version switch
    {
        // Same order as a reset: it locks the commands first, then the offsets, and may hold them for long.
        2 => [dialect.AddColumn(Command, "lanes integer"), dialect.AddColumn(Offset, "unhandled bigint NOT NULL DEFAULT 0")],
        // Null in the rows of older releases, which do not know these columns.
        3 => [dialect.AddColumn(Command, "given_by text"), dialect.AddColumn(Command, "given_on text"), dialect.AddColumn(Command, "reason text")],
        // Null in the rows of older releases. No event of their versions is a replay, they begin with the first event, and their owners do not report when they have stopped.
        4 => [dialect.AddColumn(Lane, "stopped_after_resumes bigint"), dialect.AddColumn(Projection, "history text"), dialect.AddColumn(Projection, "start_offset text")],
        _ => throw new ArgumentOutOfRangeException(nameof(version), version, "There is no such version."),
    };
}
