using System.Data.Common;
using System.Reflection;
using System.Text.RegularExpressions;
using Throttled.Projections;
using Throttled.Projections.Databases;
using Throttled.Projections.Handlers;
using Throttled.Projections.Merging;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Journal.SqlServer.Tests.ReadModels;

/// <summary>
/// Every statement that a projection runs on SQL Server, with a name. Those of the tables are recorded: each method that takes a transaction is called with
/// several arguments. So a new method is included, or the test fails because it has no arguments for it.
/// </summary>
internal static partial class ReadModelStatements
{
    private static readonly DeadLetter Failed = new(Event("a", 1), "error", 1);
    private static readonly DeadLetter Queued = new(Event("a", 2), null, 0);
    private static readonly SliceOffset Whole = new(SliceRange.All, 1, 1);
    private static readonly SliceOffset[] Halves = [new(new(0, 511), 1, 1), new(new(512, 1023), 1, 1)];
    private static readonly VersionRow Version = new("v", "p", VersionRole.Live, "all", 2, 1, false, 0);

    /// <summary>Two or three values of each type. A method is called with the first ones, then with the second ones, and so on.</summary>
    private static readonly Dictionary<Type, object?[]> Arguments = new()
    {
        [typeof(string)] = ["text", "other"],
        [typeof(long)] = [1L],
        [typeof(int)] = [1, 0],
        [typeof(bool)] = [true, false],
        [typeof(TimeSpan)] = [TimeSpan.FromSeconds(30)],
        [typeof(SliceRange)] = [SliceRange.All],
        [typeof(ShardMap)] = [ShardMap.Even(2), ShardMap.Even(1)],
        [typeof(HandledEvents)] = [new HandledEvents(1, 1)],
        [typeof(SliceOffset)] = [Whole],
        [typeof(OffsetMove)] = [new OffsetMove([Whole], [Whole], 1), new OffsetMove(Halves, [Whole], 1)],
        [typeof(VersionRow)] = [Version],
        [typeof(CommandRow)] = [new CommandRow(0, "v", CommandVerb.Retry) { PersistenceId = "a" }, new CommandRow(0, "v", CommandVerb.Reset) { Ordering = 1 }],
        [typeof(IReadOnlyList<CommandRow>)] = [new[] { new CommandRow(1, "v", CommandVerb.Retry) { PersistenceId = "a" } }],
        [typeof(CommandOrigin)] = [new CommandOrigin("user"), null],
        [typeof(CommandOutcome)] = [CommandOutcome.Done("done")],
        [typeof(CommandRange)] = [new CommandRange("v", CommandVerb.Retry, 1, 1, 1)],
        [typeof(CommandVerb)] = [CommandVerb.Retry],
        [typeof(IReadOnlyList<DeadLetter>)] = [new[] { Failed, Queued }, new[] { Queued }],
        [typeof(IReadOnlyList<long>)] = [new[] { 1L, 2L }],
        [typeof(IReadOnlyList<int>)] = [new[] { 0, 1 }],
        [typeof(IReadOnlyCollection<int>)] = [new[] { 0, 1 }],
        [typeof(IReadOnlyList<SliceRange>)] = [new[] { SliceRange.All }],
        [typeof(IReadOnlyList<SliceOffset>)] = [Halves],
        [typeof(IReadOnlyList<LaneReport>)] = [new[] { new LaneReport(0, LaneState.Running, null, 1.5) }],
    };

    internal static ReadModelDialect Dialect => ReadModelDialect.SqlServer;

    /// <summary>Those that create the tables, in order.</summary>
    internal static IReadOnlyList<string> Created { get; } = [.. Schema.Statements(Dialect, from: 0)];

    internal static IReadOnlyList<(string Name, string Sql)> Tables { get; } = [.. Recorded().Distinct()];

    internal static IReadOnlyList<(string Name, string Sql)> Merges { get; } = [.. MergeCases.All.SelectMany(one => one.Statements())];

    /// <summary>Those of tables with a row for each persistence id.</summary>
    internal static IReadOnlyList<(string Name, string Sql)> Entities { get; } = [.. EntitiesAsync().GetAwaiter().GetResult()];

    internal static IReadOnlyList<(string Name, string Sql)> All { get; } =
    [
        .. Created.Select((sql, i) => (FormattableString.Invariant($"Schema, {i + 1}"), sql)),
        .. Schema.Statements(Dialect, from: 1).Except(Created).Select((sql, i) => (FormattableString.Invariant($"Schema, update {i + 1}"), sql)),
        ("InstallLock", Dialect.InstallLock(Schema.Projection)!),
        ("SetUp of a reading transaction", Dialect.SetUp(isReading: true)!),
        ("SnapshotTearDown", Dialect.SnapshotTearDown!),
        ("WaitingReads", Dialect.WaitingReads!),
        ("CountTables", Dialect.CountTables(Schema.Projection, Schema.Names)),
        .. Tables,
        .. Merges,
        .. Entities,
    ];

    /// <summary>Parameters that a statement uses and does not declare.</summary>
    internal static IEnumerable<string> ParametersOf(string sql) =>
        Parameter().Matches(sql).Select(match => match.Value).Distinct().Where(name => !sql.Contains($"DECLARE {name} ", StringComparison.Ordinal));

    private static IEnumerable<(string Name, string Sql)> Recorded() =>
        from type in (Type[])[.. typeof(Schema).Assembly.GetTypes().Where(type => type.Namespace == typeof(Schema).Namespace), typeof(VersionNames)]
        from method in type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic)
        where !method.IsPrivate && method.GetParameters().FirstOrDefault()?.ParameterType == typeof(DatabaseTransaction)
        from call in Enumerable.Range(0, 3)
        from sql in Called(method, call)
        select ($"{type.Name}.{method.Name}", sql);

    private static async Task<IEnumerable<(string Name, string Sql)>> EntitiesAsync() =>
    [
        .. await EntitiesAsync("EntityTable", "entities", new EntityTable<string>().Column("length", state => state.Length).Column("day", _ => DateTimeOffset.UnixEpoch)),
        .. await EntitiesAsync(
            "EntityTable of columns", "columns",
            new EntityTable<string>(() => "").Column("length", state => state.Length).Column("price", _ => 1m, (state, _) => state).Column("text", state => state, (_, text) => text)),
    ];

    private static async Task<IEnumerable<(string Name, string Sql)>> EntitiesAsync(string name, string version, EntityTable<string> table)
    {
        var source = new RecordingSource(touched: 1);
        await using var transaction = await DatabaseTransaction.BeginAsync(ReadModelDatabase.SqlServer(source), default);
        await table.CreateAsync(new(version, VersionRole.Live, transaction.ForHandler, Dialect), default);
        var batch = new ProjectionBatch(version, [new(Event("a", 1), "payload")], transaction.ForHandler, Dialect);
        var row = (await table.LoadAsync(batch, default))["a"];
        row.Apply(batch[0], (_, _) => "state");
        await table.SaveAsync(batch, [row], default);
        await EntityTable<string>.DropAsync(new(version, VersionRole.Retired, transaction.ForHandler, Dialect), default);
        return source.Commands.Select((command, i) => (FormattableString.Invariant($"{name}, {i + 1}"), command.Text));
    }

    private static IEnumerable<string> Called(MethodInfo method, int call)
    {
        var source = new RecordingSource(touched: call == 2 ? 0 : 1);
        RunAsync(method, call, source).GetAwaiter().GetResult();
        return source.Commands.Select(command => command.Text);
    }

    private static async Task RunAsync(MethodInfo method, int call, DbDataSource source)
    {
        await using var transaction = await DatabaseTransaction.BeginAsync(ReadModelDatabase.SqlServer(source), default);
        try
        {
            await (Task)method.Invoke(null, [transaction, .. method.GetParameters().Skip(1).Select(parameter => Argument(parameter, call))])!;
        }
        // The tables are empty, so some methods find nothing.
        catch (Exception error) when (error is FencedException or ProjectionException or ArgumentOutOfRangeException)
        {
        }
    }

    private static object? Argument(ParameterInfo parameter, int call)
    {
        // A part of a statement.
        if (parameter.Name == "set")
            return $"paused = {Dialect.Flag(true)}, resumes = resumes + 1";
        var type = Nullable.GetUnderlyingType(parameter.ParameterType) ?? parameter.ParameterType;
        var values = Arguments.GetValueOrDefault(type) ?? throw new NotSupportedException($"Add arguments of {type} for '{parameter.Name}' of {parameter.Member}.");
        var isNullable = type != parameter.ParameterType || new NullabilityInfoContext().Create(parameter).WriteState == NullabilityState.Nullable;
        return isNullable && call == 2 ? null : values[call % values.Length];
    }

    private static JournalEvent Event(string id, long number) => new()
    {
        PersistenceId = id, SequenceNumber = number, Ordering = number, Manifest = "m", Payload = new byte[] { 1 }, Tags = ["t"],
    };

    [GeneratedRegex(@"(?<!@)@\w+")]
    private static partial Regex Parameter();
}
