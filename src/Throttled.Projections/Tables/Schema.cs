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
        .. Create(dialect, dialect.Types),
        .. dialect.CreateView(Status, StatusView.Select(dialect)),
        // Roles that were granted the tables before this one existed must be able to read it, too.
        .. Optional(dialect.GrantRead(SchemaVersion)),
        $"INSERT INTO {SchemaVersion} (version, usable_from) SELECT {Version}, {UsableFrom} {dialect.IfAbsent(SchemaVersion, $"version = {Version}", "version")}",
    ];

    private static IEnumerable<string> Optional(string? statement) => statement is null ? [] : [statement];

    // The missing tables, without the view.
    private static IEnumerable<string> Create(ReadModelDialect dialect, TableTypes types) =>
    [
        $"""
        {dialect.CreateTable(Projection)} (
            version {types.Name} NOT NULL PRIMARY KEY,
            projection {types.Name} NOT NULL,
            role {types.Name} NOT NULL,
            source {types.Text} NOT NULL,
            lanes integer NOT NULL,
            epoch {types.Ticks} NOT NULL,
            paused {types.Flag} NOT NULL,
            resumes {types.Ticks} NOT NULL,
            journal_end {types.Ticks} NOT NULL,
            journal_end_seen_at {types.Time},
            history {types.Text},
            start_offset {types.Text},
            counted_from bigint){types.Often}
        """,
        $"""
        {dialect.CreateTable(Shard)} (
            version {types.Name} NOT NULL,
            shard integer NOT NULL,
            first_slice integer NOT NULL,
            last_slice integer NOT NULL,
            journal_end {types.Ticks} NOT NULL,
            journal_end_seen_at {types.Time},
            PRIMARY KEY (version, shard)){types.Often}
        """,
        $"""
        {dialect.CreateTable(Offset)} (
            version {types.Name} NOT NULL,
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
        {dialect.CreateTable(Lane)} (
            version {types.Name} NOT NULL,
            lane integer NOT NULL,
            first_slice integer NOT NULL,
            last_slice integer NOT NULL,
            owner {types.Name},
            lease_until {types.Time},
            state {types.Name} NOT NULL,
            error {types.Text},
            events_per_second {types.Number} NOT NULL,
            read_up_to bigint NOT NULL DEFAULT 0,
            stopped_after_resumes bigint,
            updated_at {types.Time},
            PRIMARY KEY (version, lane)){types.Often}
        """,
        $"""
        {dialect.CreateTable(Process)} (
            projection {types.Name} NOT NULL,
            process {types.Name} NOT NULL,
            lease_until {types.Time} NOT NULL,
            PRIMARY KEY (projection, process)){types.Often}
        """,
        $"""
        {dialect.CreateTable(DeadLetter)} (
            version {types.Name} NOT NULL,
            persistence_id {types.Id} NOT NULL,
            sequence_number {types.Ticks} NOT NULL,
            ordering {types.Ticks} NOT NULL,
            slice integer NOT NULL,
            timestamp {types.Ticks} NOT NULL,
            serializer_id integer,
            manifest {types.Text} NOT NULL,
            payload {types.Bytes} NOT NULL,
            omitted_bytes integer NOT NULL,
            tags {types.Text} NOT NULL,
            error {types.Text},
            attempts integer NOT NULL,
            dead_lettered_at {types.Time} NOT NULL,
            tried_at {types.Time},
            {types.LongKey} (version, persistence_id, ordering))
        """,
        dialect.CreateOrder(DeadLetter, "_slice", "version, slice", "ordering"),
        $"""
        {dialect.CreateTable(Command)} (
            id {types.Identity},
            projection {types.Name} NOT NULL,
            version {types.Name} NOT NULL,
            verb {types.Name} NOT NULL,
            persistence_id {types.Id},
            sequence_number {types.Ticks},
            ordering {types.Ticks},
            timestamp {types.Ticks},
            sharded_offset {types.Text},
            lanes integer,
            slice integer,
            state {types.Name} NOT NULL,
            result {types.Text},
            created_at {types.Time} NOT NULL,
            done_at {types.Time},
            given_by {types.Text},
            given_on {types.Text},
            reason {types.Text})
        """,
        $"{dialect.CreateIndex(Command, "_waiting")} ON {Command} {dialect.Partial("projection, id", "state", $"= '{nameof(CommandState.Waiting)}'")}",
        $"{dialect.CreateIndex(Command, "_done")} ON {Command} {dialect.Partial("done_at", "done_at", "IS NOT NULL")}",
        $"{dialect.CreateTable(SchemaVersion)} (version integer NOT NULL PRIMARY KEY, usable_from integer NOT NULL)",
    ];

    // Adds what the tables of the previous version lack. A released step never changes. What it adds has a default, because processes of the previous
    // release still run.
    private static IEnumerable<string> Step(ReadModelDialect dialect, int version) => version switch
    {
        // Same order as a reset: it locks the commands first, then the offsets, and may hold them for long.
        2 => [dialect.AddColumn(Command, "lanes integer"), dialect.AddColumn(Offset, "unhandled bigint NOT NULL DEFAULT 0")],
        // Null in the rows of older releases, which do not know these columns.
        3 => [dialect.AddColumn(Command, $"given_by {dialect.Types.Text}"), dialect.AddColumn(Command, $"given_on {dialect.Types.Text}"), dialect.AddColumn(Command, $"reason {dialect.Types.Text}")],
        // Null in the rows of older releases. No event of their versions is a replay, they begin with the first event and count from there, and their owners do not report when they have stopped.
        4 => [dialect.AddColumn(Lane, "stopped_after_resumes bigint"), dialect.AddColumn(Projection, $"history {dialect.Types.Text}"), dialect.AddColumn(Projection, $"start_offset {dialect.Types.Text}"), dialect.AddColumn(Projection, "counted_from bigint")],
        _ => throw new ArgumentOutOfRangeException(nameof(version), version, "There is no such version."),
    };
}
