using System.Data.Common;
using System.Runtime.ExceptionServices;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Testing;

/// <summary>
/// Gives events to a handler as a projection does, without a journal. A transactional or batch handler writes to a read model database, which may be
/// SQLite in memory. An at-least-once handler needs none. No thread runs in between: when a method has returned, the events are handled.
/// <code>
/// await using var test = await HandlerTest.StartAsync(new Balances(), ReadModelDatabase.Sqlite(
///     SqliteFactory.Instance.CreateDataSource("Data Source=balances;Mode=Memory;Cache=Shared")));
/// await test.HandleAsync(new("account-1", new Deposited(5)), new("account-2", new Deposited(7)));
/// </code>
/// </summary>
public sealed class HandlerTest : IAsyncDisposable
{
    private readonly ProjectionHandler _handler;
    private readonly ReadModelDatabase? _database;
    private readonly DbConnection? _open;
    private readonly string _version;
    private readonly List<ProjectionEvent> _handled = [];

    private HandlerTest(ProjectionHandler handler, ReadModelDatabase? database, DbConnection? open, string version) =>
        (_handler, _database, _open, _version) = (handler, database, open, version);

    /// <summary>The events of the last batch that the handler did not handle, as a projection counts them. Always empty for an at-least-once handler.</summary>
    public IReadOnlyList<ProjectionEvent> Unhandled { get; private set; } = [];

    /// <summary>Prepares the read model, as the start of a new projection does.</summary>
    /// <param name="handler">The handler.</param>
    /// <param name="database">The read model database. The test keeps a connection to it open, so SQLite in memory lasts as long as the test. Null only
    /// for an at-least-once handler, whose <see cref="ProjectionHandler.PrepareAsync"/> is then not called.</param>
    /// <param name="version">What the handler gets as <see cref="ReadModelTransaction.Version"/>.</param>
    /// <exception cref="ArgumentException">The handler writes in transactions, and there is no database.</exception>
    public static async Task<HandlerTest> StartAsync(ProjectionHandler handler, ReadModelDatabase? database = null, string version = "test")
    {
        ArgumentNullException.ThrowIfNull(handler);
        ArgumentException.ThrowIfNullOrEmpty(version);
        if (database is null && handler.Delivery is null)
            throw new ArgumentException($"{handler.GetType().Name} writes in transactions, so it needs a read model database. Give one; it may be SQLite in memory.", nameof(database));
        var open = database is null ? null : await database.Source.OpenConnectionAsync().ConfigureAwait(false);
        var test = new HandlerTest(handler, database, open, version);
        try
        {
            await test.PrepareAsync().ConfigureAwait(false);
            return test;
        }
        catch
        {
            await test.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>
    /// Handles events as one batch, in one transaction, and commits it. If the handler throws, the transaction is rolled back, its exception comes out
    /// of here, and the events count as not persisted.
    /// </summary>
    public Task HandleAsync(params TestEvent[] events) => WriteAsync(Next(events), 1);

    /// <summary>
    /// Handles events as one batch twice, as after a crash just before the offset was stored. The first transaction is rolled back, so a transactional
    /// or batch handler has each effect in it once. An at-least-once handler gets each event twice, and its effects must be the same as after one.
    /// </summary>
    public Task RepeatAsync(params TestEvent[] events) => WriteAsync(Next(events), 2);

    /// <summary>
    /// Prepares the read model again, then handles all events of this test again, in batches of another size. Compare the read model with that before:
    /// it may depend neither on the size of batches nor on rows from before the reset. As after a reset, <see cref="ProjectionEvent.IsReplay"/> is true.
    /// </summary>
    /// <param name="batchSize">At least 1.</param>
    public async Task ReplayAsync(int batchSize)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(batchSize, 1);
        await PrepareAsync().ConfigureAwait(false);
        var history = VersionHistory.Parse(_version, FormattableString.Invariant($"0-1023:{_handled.Count}"));
        ProjectionEvent[] all = [.. _handled.Select(each => new ProjectionEvent(each.Stored, each.Payload, history))];
        _handled.Clear();
        foreach (var batch in all.Chunk(batchSize))
            await WriteAsync(batch, 1).ConfigureAwait(false);
    }

    /// <summary>Closes the connection that the test kept open. The data source belongs to the caller.</summary>
    public ValueTask DisposeAsync() => _open?.DisposeAsync() ?? ValueTask.CompletedTask;

    private ProjectionEvent[] Next(TestEvent[] events)
    {
        ArgumentNullException.ThrowIfNull(events);
        ArgumentOutOfRangeException.ThrowIfZero(events.Length, nameof(events));
        var numbers = _handled.GroupBy(each => each.PersistenceId).ToDictionary(group => group.Key, group => group.Max(each => each.SequenceNumber));
        var ordering = _handled.Count;
        return [.. events.Select(each => new ProjectionEvent(
            new()
            {
                Ordering = ++ordering,
                PersistenceId = each.PersistenceId,
                SequenceNumber = numbers[each.PersistenceId] = numbers.GetValueOrDefault(each.PersistenceId) + 1,
                Manifest = each.Payload.GetType().Name,
                Timestamp = each.Timestamp.UtcTicks,
                Tags = each.Tags,
                Payload = ReadOnlyMemory<byte>.Empty,
            },
            each.Payload,
            new(_version)))];
    }

    private async Task WriteAsync(ProjectionEvent[] events, int times)
    {
        try
        {
            for (var time = 1; time <= times; time++)
                await WriteAsync(events, isCommitted: time == times).ConfigureAwait(false);
        }
        catch (EventFailedException failed) when (failed.InnerException is { } cause)
        {
            // As a projection reports it.
            ExceptionDispatchInfo.Throw(cause);
        }
        _handled.AddRange(events);
    }

    private async Task WriteAsync(ProjectionEvent[] events, bool isCommitted)
    {
        if (_handler.Delivery is { } delivery)
        {
            var deliver = await delivery.BeginAsync(events, _version, CancellationToken.None).ConfigureAwait(false);
            foreach (var each in events)
                await deliver(each, CancellationToken.None).ConfigureAwait(false);
            return;
        }
        var transaction = await DatabaseTransaction.BeginAsync(_database!, CancellationToken.None).ConfigureAwait(false);
        await using var _ = transaction.ConfigureAwait(false);
        var batch = new ProjectionBatch(_version, events, transaction.ForHandler, transaction.Dialect);
        Unhandled = await batch.RunAsync(() => _handler.WriteEffectsAsync(batch, CancellationToken.None), CancellationToken.None).ConfigureAwait(false);
        if (isCommitted)
            await transaction.CommitAsync(CancellationToken.None).ConfigureAwait(false);
    }

    private Task PrepareAsync() => _database is null
        ? Task.CompletedTask
        : _database.WriteAsync(
            transaction =>
            {
                var scope = new ReadModelScope(_version, VersionRole.Live, transaction.ForHandler, transaction.Dialect);
                return scope.RunAsync(
                    async () =>
                    {
                        await _handler.PrepareAsync(scope, CancellationToken.None).ConfigureAwait(false);
                        return true;
                    },
                    CancellationToken.None);
            },
            CancellationToken.None);
}

/// <summary>An event that a test gives to a handler. Its ordering counts the events of the test, its sequence number those of its persistence id, from 1.</summary>
/// <param name="PersistenceId">The entity that persisted the event.</param>
/// <param name="Payload">What the decoder would return.</param>
public sealed record TestEvent(string PersistenceId, object Payload)
{
    /// <summary>When the event was written. Midnight on 1 January 2000 UTC by default.</summary>
    public DateTimeOffset Timestamp { get; init; } = new(2000, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>The event's tags. None by default.</summary>
    public IReadOnlyList<string> Tags { get; init; } = [];
}
