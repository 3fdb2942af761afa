using System.Globalization;
using System.Text.Json.Serialization;
using Throttled.Projections.Handlers;
using Throttled.Projections.Store;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Handlers;

/// <summary>A row for each persistence id, on all databases.</summary>
public sealed class EntityStateHandlerTests : IDisposable
{
    private readonly JournaledNumbers _journal = new();

    public void Dispose() => _journal.Dispose();

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task An_entity_has_a_row_until_its_state_is_null(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:5", "a:2", "b:0", "c:0", "d:-1", "e:7", "e:0", "e:3");
        await using var run = await RunAsync(readModel, new Counters());
        Assert.Equal("a|2|3|1 2, e|3|3|3", await RowsAsync(readModel));
        var status = await run.StatusAsync();
        // The events of 'c' and 'd' found no state and left none.
        Assert.Equal((9, 2), (status.Events, status.UnhandledEvents));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Functions_and_batches_of_one_event_make_the_same_rows(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:5", "a:2", "a:3");
        var handler = new HandlerBuilder()
            .Entity((Counter? state, ProjectionEvent each) => Counter.Apply(state, (int)each.Payload), Counter.Table)
            .Prepare((scope, cancellation) => scope.ExecuteAsync($"CREATE INDEX by_sum ON {ReadModelDatabase.Quote(scope.Version)} (sum)", cancellation))
            .Build();
        await using var run = await RunAsync(readModel, handler, options => options with { BatchSize = 1 });
        Assert.Equal("a|3|6|1 2 3, b|1|5|5", await RowsAsync(readModel));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_failing_event_holds_back_its_entity_alone_and_a_retry_applies_its_events_in_order(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:1", "a:-2", "b:2", "a:3", "c:1", "a:4");
        var handler = new Counters { IsDefect = true };
        await using var run = await RunAsync(readModel, handler, options => options with { OnFailure = FailurePolicy.DeadLetter, MaxAttempts = 2 });
        Assert.Equal("a|1|1|1, b|2|3|1 2, c|1|1|1", await RowsAsync(readModel));
        Assert.Equal(3, (await run.StatusAsync()).DeadLetters);
        handler.IsDefect = false;
        await run.Control.RetryAllAsync("counters");
        Assert.Equal("a|4|6|1 -2 3 4, b|2|3|1 2, c|1|1|1", await RowsAsync(readModel));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_reset_to_an_ordering_changes_no_row_and_one_to_the_start_computes_all(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:5", "a:2");
        await using var run = await RunAsync(readModel, new Counters());
        const string rows = "a|2|3|1 2, b|1|5|5";
        await run.Control.ResetAsync("counters", 1);
        await run.CaughtUpAsync(_journal.Count);
        Assert.Equal(rows, await RowsAsync(readModel));
        await readModel.ExecuteAsync("UPDATE counters SET sum = 99");
        await run.Control.ResetAsync("counters");
        await run.CaughtUpAsync(_journal.Count);
        Assert.Equal(rows, await RowsAsync(readModel));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task An_event_that_is_passed_over_is_unhandled_unless_it_is_a_replay(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "a:2");
        await using var run = await RunAsync(readModel, new Counters());
        await run.Control.ResetAsync("counters", 1);
        await run.CaughtUpAsync(_journal.Count);
        Assert.Equal((1, 0), ((await run.StatusAsync()).Events, (await run.StatusAsync()).UnhandledEvents));
        // As if the id had had nine events, had been purged, and had begun at 1 again.
        await readModel.ExecuteAsync("UPDATE counters SET sequence_number = 9");
        await _journal.AppendAsync("a:3");
        await run.CaughtUpAsync(_journal.Count);
        Assert.Equal((2, 1), ((await run.StatusAsync()).Events, (await run.StatusAsync()).UnhandledEvents));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_rebuild_has_a_table_of_its_own_and_a_drop_removes_it(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:5");
        await using var run = await RunAsync(readModel, new Counters());
        await run.Control.RebuildAsync("counters", "second");
        await run.CaughtUpAsync(_journal.Count, "second");
        Assert.Equal("a|1|1|1, b|1|5|5", await RowsAsync(readModel, "second"));
        await run.Control.DropAsync("counters", "second");
        await Assert.ThrowsAnyAsync<System.Data.Common.DbException>(() => RowsAsync(readModel, "second"));
        Assert.Equal("a|1|1|1, b|1|5|5", await RowsAsync(readModel));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_table_of_the_application_with_the_same_name_is_not_emptied(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("CREATE TABLE accounts (id text)");
        await readModel.ExecuteAsync("INSERT INTO accounts VALUES ('mine')");
        await Assert.ThrowsAnyAsync<System.Data.Common.DbException>(
            () => readModel.Store.CreateVersionAsync(TestReadModel.Row(), SliceRange.All, new Counters().PrepareAsync, null, default));
        Assert.Equal(1, await readModel.CountAsync("accounts"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_stored_state_that_cannot_be_read_fails_only_the_events_of_its_entity(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:1");
        await using (await RunAsync(readModel, new Counters()))
            await readModel.ExecuteAsync("UPDATE counters SET state = '[]' WHERE persistence_id = 'a'");
        await _journal.AppendAsync("b:2", "a:2", "b:3");
        await using var run = await RunAsync(readModel, new Counters(), options => options with { OnFailure = FailurePolicy.DeadLetter, MaxAttempts = 1 });
        Assert.Equal("a|1|1|1, b|3|6|1 2 3", await RowsAsync(readModel));
        var deadLetter = Assert.Single(await run.Control.DeadLettersAsync("counters"));
        Assert.Contains("The state of 'a' cannot be converted between Counter and JSON.", deadLetter.Error, StringComparison.Ordinal);
        Assert.Contains("rebuild the projection", deadLetter.Error, StringComparison.Ordinal);
        // The event is named, so no half of a batch is tried.
        await readModel.ExecuteAsync("CREATE TABLE accounts (persistence_id varchar(100) PRIMARY KEY, sequence_number bigint, state text, sum bigint, numbers text)");
        await readModel.ExecuteAsync("INSERT INTO accounts VALUES ('a', 1, '[]', 1, '')");
        var failed = await Assert.ThrowsAsync<EventFailedException>(
            () => WriteAsync(readModel, new Counters(), new(new() { PersistenceId = "a", SequenceNumber = 2, Ordering = 77, Payload = default }, 5)));
        Assert.Equal(77, failed.Ordering);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_polymorphic_state_and_columns_of_all_kinds_are_stored(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:2", "a:3", "b:4");
        var table = new EntityTable<Shape>().Column("text", shape => shape.GetType().Name).Column("area", shape => shape.Size * 1.5).Column("exact", shape => shape.Size + 0.15m)
            .Column("at", shape => DateTimeOffset.UnixEpoch.AddSeconds(shape.Size)).Column("big", shape => (long?)null).Column("bytes", shape => new byte[] { 1 });
        var handler = new HandlerBuilder().Entity<Shape>(
            (state, each) => each.PersistenceId == "a" ? new Circle("r", (state?.Size ?? 0) + (int)each.Payload) : new Square("s", (state?.Size ?? 0) + (int)each.Payload), table).Build();
        await using var run = await RunAsync(readModel, handler, options => options with { BatchSize = 1 });
        Assert.Equal(["Circle|4", "Square|6"], await readModel.RowsAsync("SELECT text, CAST(area / 1.5 AS int) FROM counters WHERE big IS NULL ORDER BY text"));
        Assert.Equal(6.15m, Convert.ToDecimal(await readModel.ScalarAsync("SELECT exact FROM counters WHERE persistence_id = 'b'"), CultureInfo.InvariantCulture));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_state_of_columns_of_all_types_is_read_as_it_was_written(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.Store.CreateVersionAsync(TestReadModel.Row(lanes: 1), SliceRange.All, new Everythings(_ => null).PrepareAsync, null, default);
        Everything[] written =
        [
            Everything.First,
            new("text ü'\"", long.MaxValue, int.MinValue, short.MaxValue, 1.5e300, 0.1f, 123_456_789_012.345m, true, Guid.Parse("c56a4180-65aa-42ec-a945-5fd21dec0538"),
                new(2026, 11, 27, 13, 5, 9, DateTimeKind.Utc), new(2026, 1, 2, 3, 4, 5, 678, TimeSpan.Zero), [0, 255], 7, 0.5m, new(1999, 12, 31, 0, 0, 0, DateTimeKind.Utc)),
        ];
        foreach (var (state, i) in written.Select((state, i) => (state, i + 1)))
        {
            List<Everything?> read = [];
            for (var number = 1; number <= 2; number++)
            {
                var handler = new Everythings(before =>
                {
                    read.Add(before);
                    return state;
                });
                await WriteAsync(readModel, handler, new(new() { PersistenceId = $"{i}", SequenceNumber = number, Ordering = (2 * i) + number, Payload = default }, 0));
            }
            Assert.Null(read[0]);
            Assert.Equivalent(state, read[1], strict: true);
            Assert.Equal((state.Utc.Kind, state.At.Offset), (read[1]!.Utc.Kind, read[1]!.At.Offset));
        }
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_null_in_a_column_of_a_number_fails_only_the_events_of_its_entity(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "b:1");
        await using (await RunAsync(readModel, new Counters(Counter.Columns)))
            await readModel.ExecuteAsync("UPDATE counters SET sum = NULL WHERE persistence_id = 'a'");
        await _journal.AppendAsync("b:2", "a:2", "b:3");
        await using var run = await RunAsync(readModel, new Counters(Counter.Columns), options => options with { OnFailure = FailurePolicy.DeadLetter, MaxAttempts = 1 });
        Assert.Equal("a|1||1, b|3|6|1 2 3", await RowsAsync(readModel));
        var deadLetter = Assert.Single(await run.Control.DeadLettersAsync("counters"));
        Assert.Contains("The state of 'a' cannot be converted between Counter and columns. The column 'sum' is null", deadLetter.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void An_event_that_creates_no_state_writes_and_deletes_no_row()
    {
        var row = new EntityRow<Counter>("a");
        var ignored = new ProjectionEvent(new() { PersistenceId = "a", SequenceNumber = 1, Payload = default }, 1);
        Assert.Equal((EntityChange.Nothing, false), (row.Apply(ignored, (_, _) => null), row.IsChanged));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_column_that_is_only_written_is_not_loaded(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await _journal.AppendAsync("a:1", "a:2");
        await using (await RunAsync(readModel, new Counters(Counter.Columns.Column("twice", counter => counter.Sum * 2)), options => options with { BatchSize = 1 }))
            await readModel.ExecuteAsync("UPDATE counters SET twice = NULL");
        await _journal.AppendAsync("a:3");
        await using (await RunAsync(readModel, new Counters(Counter.Columns.Column("twice", counter => counter.Sum * 2))))
            Assert.Equal(12L, Convert.ToInt64(await readModel.ScalarAsync("SELECT twice FROM counters"), System.Globalization.CultureInfo.InvariantCulture));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_table_without_a_loaded_column_is_not_emptied(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("CREATE TABLE accounts (persistence_id text, sequence_number bigint, numbers text)");
        await readModel.ExecuteAsync("INSERT INTO accounts VALUES ('mine', 1, '')");
        await Assert.ThrowsAnyAsync<System.Data.Common.DbException>(
            () => readModel.Store.CreateVersionAsync(TestReadModel.Row(), SliceRange.All, new Counters(Counter.Columns).PrepareAsync, null, default));
        Assert.Equal(1, await readModel.CountAsync("accounts"));
    }

    [Fact]
    public void A_column_beside_JSON_is_not_read() =>
        Assert.Contains("loaded from JSON", Assert.Throws<InvalidOperationException>(() => Counter.Table.Column("more", counter => counter.Sum, (counter, _) => counter)).Message, StringComparison.Ordinal);

    [Fact]
    public void A_column_is_given_once_and_not_with_a_name_of_the_table()
    {
        Assert.Throws<ArgumentException>(() => Counter.Table.Column("sum", counter => counter.Sum));
        Assert.Throws<ArgumentException>(() => Counter.Table.Column("state", counter => counter.Sum));
        Assert.Throws<ArgumentException>(() => Counter.Table.Column("other", counter => counter));
        Assert.Throws<ArgumentException>(() => Counter.Columns.Column("sum", counter => counter.Sum, (counter, _) => counter));
        Assert.Throws<ArgumentException>(() => Counter.Columns.Column("sequence_number", counter => counter.Sum, (counter, _) => counter));
    }

    private static async Task<string> RowsAsync(TestReadModel readModel, string table = "counters") =>
        string.Join(", ", await readModel.RowsAsync($"SELECT persistence_id, sequence_number, sum, numbers FROM {table} ORDER BY persistence_id"));

    private static async Task WriteAsync(TestReadModel readModel, ProjectionHandler handler, ProjectionEvent written)
    {
        await using var connection = await readModel.ReadModel.Source.OpenConnectionAsync();
        await using var transaction = await connection.BeginTransactionAsync();
        await handler.WriteEffectsAsync(new("accounts", [written], transaction, readModel.ReadModel.Dialect), default);
        await transaction.CommitAsync();
    }

    private async Task<ProjectionRun> RunAsync(TestReadModel readModel, ProjectionHandler handler, Func<ProjectionOptions, ProjectionOptions>? change = null)
    {
        var run = ProjectionRun.Start(_journal.Open(), readModel.ReadModel, handler, change);
        await run.CaughtUpAsync(_journal.Count);
        return run;
    }

    [JsonDerivedType(typeof(Circle), "circle")]
    [JsonDerivedType(typeof(Square), "square")]
    private abstract record Shape(string A, int Size);

    private sealed record Circle(string A, int Size) : Shape(A, Size);

    private sealed record Square(string A, int Size) : Shape(A, Size);

    private sealed record Everything(
        string? Text, long Long, int Int, short Short, double Double, float Float, decimal Decimal, bool Bool, Guid Guid, DateTime Utc, DateTimeOffset At, byte[]? Bytes,
        int? OptionalInt, decimal? OptionalDecimal, DateTime? OptionalUtc)
    {
        internal static Everything First { get; } = new(null, 0, 0, 0, 0, 0, 0, false, default, DateTime.UnixEpoch, DateTimeOffset.UnixEpoch, null, null, null, null);

        internal static EntityTable<Everything> Table { get; } = new EntityTable<Everything>(() => First with { Text = "first", OptionalInt = 1 })
            .Column("text", each => each.Text, (each, value) => each with { Text = value })
            .Column("long", each => each.Long, (each, value) => each with { Long = value })
            .Column("int", each => each.Int, (each, value) => each with { Int = value })
            .Column("short", each => each.Short, (each, value) => each with { Short = value })
            .Column("double", each => each.Double, (each, value) => each with { Double = value })
            .Column("float", each => each.Float, (each, value) => each with { Float = value })
            .Column("decimal", each => each.Decimal, (each, value) => each with { Decimal = value })
            .Column("bool", each => each.Bool, (each, value) => each with { Bool = value })
            .Column("guid", each => each.Guid, (each, value) => each with { Guid = value })
            .Column("utc", each => each.Utc, (each, value) => each with { Utc = value })
            .Column("at", each => each.At, (each, value) => each with { At = value })
            .Column("bytes", each => each.Bytes, (each, value) => each with { Bytes = value })
            .Column("optional_int", each => each.OptionalInt, (each, value) => each with { OptionalInt = value })
            .Column("optional_decimal", each => each.OptionalDecimal, (each, value) => each with { OptionalDecimal = value })
            .Column("optional_utc", each => each.OptionalUtc, (each, value) => each with { OptionalUtc = value });
    }

    private sealed class Everythings(Func<Everything?, Everything?> apply) : EntityStateHandler<Everything>(Everything.Table)
    {
        public override Everything? Apply(Everything? state, ProjectionEvent @event) => apply(state);
    }
}

/// <summary>The running projection <c>counters</c> of a test.</summary>
internal sealed class ProjectionRun : IAsyncDisposable
{
    private readonly JournalReader _journal;
    private readonly Projection _projection;

    private ProjectionRun(JournalReader journal, ReadModelDatabase readModel, ProjectionHandler handler, ProjectionOptions options)
    {
        (_journal, Control) = (journal, new(readModel, HurriedClock.Instance));
        _projection = new(journal, readModel, handler, options);
        _projection.Start();
    }

    internal ProjectionControl Control { get; }

    internal static ProjectionRun Start(
        JournalReader journal, ReadModelDatabase readModel, ProjectionHandler handler, Func<ProjectionOptions, ProjectionOptions>? change = null)
    {
        ProjectionOptions options = new()
        {
            Name = "counters", Lanes = 2, BatchAge = TimeSpan.FromMilliseconds(5), Decoder = JournaledNumbers.Decode, TimeProvider = HurriedClock.Instance,
        };
        return new(journal, readModel, handler, change?.Invoke(options) ?? options);
    }

    internal async Task<ProjectionStatus> StatusAsync(string version = "counters") =>
        (await Control.StatusAsync("counters")).Single(status => status.Version == version);

    internal Task CaughtUpAsync(long ordering, string version = "counters") => Wait.UntilAsync(
        async () => (await Control.StatusAsync("counters")).Any(status => status.Version == version && status.Offset >= ordering), () => $"{version} at {ordering}");

    /// <summary>Stops at once: running batches are rolled back.</summary>
    internal Task AbortAsync() => _projection.StopAsync(new(canceled: true));

    public async ValueTask DisposeAsync()
    {
        await _projection.DisposeAsync();
        await _journal.DisposeAsync();
    }
}
