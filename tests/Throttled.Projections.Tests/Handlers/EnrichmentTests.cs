using System.Collections.Concurrent;
using Throttled.Projections.Tests.Store;

namespace Throttled.Projections.Tests.Handlers;

/// <summary>Look-ups for a whole batch before its events are handled.</summary>
public sealed class EnrichmentTests : IDisposable
{
    private readonly JournaledNumbers _journal = new();
    private readonly ConcurrentQueue<string> _calls = new();

    public void Dispose() => _journal.Dispose();

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_batch_is_looked_up_once_in_its_own_transaction(string database)
    {
        await using var readModel = await WithNamesAsync(database);
        await _journal.AppendAsync("a:1", "b:2", "a:3");
        await using var run = Run(readModel, new Named(_calls));
        await run.CaughtUpAsync(3);
        Assert.Equal(["look up a,b", "one a", "two b", "three a"], _calls);
        Assert.Equal(0, (await run.StatusAsync()).UnhandledEvents);
        Assert.Equal("one two three", await SeenAsync(readModel));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task After_a_failure_each_smaller_part_is_looked_up_again(string database)
    {
        await using var readModel = await WithNamesAsync(database);
        await _journal.AppendAsync("a:1", "b:2", "c:9", "a:3");
        await using var run = Run(readModel, new Named(_calls));
        await run.CaughtUpAsync(4);
        // The third event fails in the batch and then alone; the two before it are handled again in a transaction of their own.
        Assert.Equal(
            ["look up a,b,c", "one a", "two b", "look up a,b", "one a", "two b", "look up c", "look up c", "look up a", "three a"], _calls);
        Assert.Equal("one two three", await SeenAsync(readModel));
        Assert.Equal(1, (await run.StatusAsync()).DeadLetters);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_look_up_that_throws_halves_the_batch_until_its_event_is_alone(string database)
    {
        await using var readModel = await WithNamesAsync(database);
        await _journal.AppendAsync("a:1", "poison:2", "b:3", "a:2");
        await using var run = Run(readModel, new Named(_calls));
        await run.CaughtUpAsync(4);
        Assert.Equal("one three two", await SeenAsync(readModel));
        Assert.Equal("poison", Assert.Single(await run.Control.DeadLettersAsync("counters")).Event.PersistenceId);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task An_at_least_once_handler_looks_up_what_is_not_delivered_yet(string database)
    {
        await using var readModel = await WithNamesAsync(database);
        await _journal.AppendAsync("a:1", "b:2", "c:9", "a:3");
        await using var run = Run(readModel, new Delivered(_calls));
        await run.CaughtUpAsync(4);
        // The third event fails twice: in the batch, and then alone. The two before it are not delivered again.
        Assert.Equal(["counters a,b,c,a", "a 1", "b 2", "counters c", "counters c", "counters a", "a 3"], _calls);
        Assert.Equal("c", Assert.Single(await run.Control.DeadLettersAsync("counters")).Event.PersistenceId);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Functions_get_what_was_looked_up_for_their_batch(string database)
    {
        await using var readModel = await WithNamesAsync(database);
        await _journal.AppendAsync("a:1", "b:2", "a:3");
        var (named, on) = (new Named(_calls), new HandlerBuilder());
        on.LookUp(named.EnrichAsync).Event<int>((each, names, transaction, cancellation) =>
            transaction.ExecuteAsync("INSERT INTO seen VALUES (@place, @name)", cancellation, ("place", (int)each.Ordering), ("name", names[each.Payload])));
        await using var run = Run(readModel, on.Build());
        await run.CaughtUpAsync(3);
        Assert.Equal(["look up a,b"], _calls);
        Assert.Equal(0, (await run.StatusAsync()).UnhandledEvents);
        Assert.Equal("one two three", await SeenAsync(readModel));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_look_up_in_the_transaction_does_not_make_an_event_handled(string database)
    {
        await using var readModel = await WithNamesAsync(database);
        await _journal.AppendAsync("a:1", "b:2");
        var on = new HandlerBuilder();
        on.LookUp(new Named(_calls).EnrichAsync).Event<string>((_, _, _, _) => Task.CompletedTask);
        await using var run = Run(readModel, on.Build());
        await run.CaughtUpAsync(2);
        Assert.Equal(2, (await run.StatusAsync()).UnhandledEvents);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task At_least_once_functions_get_what_was_looked_up_for_the_events_that_are_left(string database)
    {
        await using var readModel = await WithNamesAsync(database);
        await _journal.AppendAsync("a:1", "b:2", "c:9", "a:3");
        var (delivered, on) = (new Delivered(_calls), new HandlerBuilder());
        on.LookUp(delivered.EnrichAsync).AtLeastOnce<int>((each, count, version, _) =>
        {
            _calls.Enqueue($"{version} {each.Payload} of {count}");
            return each.PersistenceId == "c" ? Task.FromException(new InvalidOperationException("refused")) : Task.CompletedTask;
        });
        await using var run = Run(readModel, on.Build());
        await run.CaughtUpAsync(4);
        Assert.Equal(
            [
                "counters a,b,c,a", "counters 1 of 4", "counters 2 of 4", "counters 9 of 4", "counters c", "counters 9 of 1", "counters c", "counters 9 of 1",
                "counters a", "counters 3 of 1",
            ],
            _calls);
    }

    private ProjectionRun Run(TestReadModel readModel, ProjectionHandler handler) => ProjectionRun.Start(
        _journal.Open(), readModel.ReadModel, handler,
        options => options with { Lanes = 1, BatchAge = TimeSpan.FromMinutes(1), BatchSize = _journal.Count, MaxAttempts = 2, OnFailure = FailurePolicy.DeadLetter });

    private static async Task<TestReadModel> WithNamesAsync(string database)
    {
        var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("CREATE TABLE names (number int, name varchar(100))");
        await readModel.ExecuteAsync("INSERT INTO names VALUES (1, 'one'), (2, 'two'), (3, 'three')");
        await readModel.ExecuteAsync("CREATE TABLE seen (place int, name varchar(100))");
        return readModel;
    }

    private static async Task<string> SeenAsync(TestReadModel readModel) => string.Join(' ', await readModel.RowsAsync("SELECT name FROM seen ORDER BY place"));

    private sealed class Named(ConcurrentQueue<string> calls) : TransactionalHandler<Dictionary<int, string>>
    {
        public override async Task<Dictionary<int, string>> EnrichAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            calls.Enqueue($"look up {string.Join(',', batch.Select(each => each.PersistenceId).Distinct())}");
            if (batch.Any(each => each.PersistenceId == "poison"))
                throw new InvalidOperationException("no such name");
            var rows = await batch.QueryAsync(
                "SELECT number, name FROM names WHERE number <= @most", row => (row.GetInt32(0), row.GetString(1)), cancellationToken, ("most", batch.Max(each => (int)each.Payload)));
            return rows.ToDictionary();
        }

        public override Task HandleAsync(ProjectionEvent @event, Dictionary<int, string> lookups, ReadModelTransaction transaction, CancellationToken cancellationToken)
        {
            var name = lookups[(int)@event.Payload];
            calls.Enqueue($"{name} {@event.PersistenceId}");
            return transaction.ExecuteAsync("INSERT INTO seen VALUES (@place, @name)", cancellationToken, ("place", (int)@event.Ordering), ("name", name));
        }
    }

    private sealed class Delivered(ConcurrentQueue<string> calls) : AtLeastOnceHandler<int>
    {
        public override Task<int> EnrichAsync(IReadOnlyList<ProjectionEvent> events, string version, CancellationToken cancellationToken)
        {
            calls.Enqueue($"{version} {string.Join(',', events.Select(each => each.PersistenceId))}");
            return Task.FromResult(events.Count);
        }

        public override Task HandleAsync(ProjectionEvent @event, int lookups, string version, CancellationToken cancellationToken)
        {
            Assert.InRange(lookups, 1, 4);
            if (@event.PersistenceId == "c")
                throw new InvalidOperationException("refused");
            calls.Enqueue($"{@event.PersistenceId} {@event.Payload}");
            return Task.CompletedTask;
        }
    }
}
