using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Handlers;

/// <summary>Handlers of one event at a time in a transaction, as a class and as functions, on each database.</summary>
public sealed class TransactionalHandlerTests : IDisposable
{
    private const int Events = 40;

    private static readonly MergeTable<int> Seen = new MergeTable<int>().Key("number", number => number);

    private readonly HostedFiles _files = new();
    private readonly List<int> _calls = [];

    public void Dispose() => _files.Delete();

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Each_event_has_its_effect_once_in_shared_transactions(string database)
    {
        var (status, numbers) = await RunAsync(database, new OneByOne(InsertAsync));
        Assert.Equal(Enumerable.Range(1, Events), numbers);
        Assert.Equal((Events, 0), (status.Events, status.UnhandledEvents));
        Assert.Equal(Enumerable.Range(1, Events), _calls);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_failing_event_is_known_at_once_and_the_others_are_handled(string database)
    {
        var handler = new OneByOne(async (handled, transaction, cancellation) =>
        {
            await InsertAsync(handled, transaction, cancellation);
            if ((int)handled.Payload == 17)
                throw new InvalidOperationException("poison");
        });
        var (status, numbers) = await RunAsync(database, handler, FailurePolicy.DeadLetter);
        Assert.Equal(Enumerable.Range(1, Events).Except([17]), numbers);
        Assert.Equal(1, status.DeadLetters);
        // The whole batch up to the event, the part before it, the event for its second and last attempt and the rest. Halves would take more.
        Assert.Equal([.. Enumerable.Range(1, 17), .. Enumerable.Range(1, 16), 17, 17, .. Enumerable.Range(18, 23)], _calls);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Events_without_a_use_of_the_transaction_are_unhandled_and_a_merge_is_a_use(string database)
    {
        var (status, numbers) = await RunAsync(database, new OneByOne((handled, transaction, cancellation) => ((int)handled.Payload % 4) switch
        {
            0 => Task.CompletedTask,
            1 => Seen.WriteAsync(transaction, "seen", [(int)handled.Payload], cancellation),
            _ => InsertAsync(handled, transaction, cancellation),
        }));
        Assert.Equal(Enumerable.Range(1, Events).Where(number => number % 4 != 0), numbers);
        Assert.Equal(Events / 4, status.UnhandledEvents);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Functions_handle_events_in_the_transaction(string database)
    {
        var (status, numbers) = await RunAsync(database, new HandlerBuilder()
            .Event<int>((handled, transaction, cancellation) => transaction.ExecuteAsync(
                "INSERT INTO seen VALUES (@number)", cancellation, ("number", handled.Payload + handled.SequenceNumber)))
            .Build());
        Assert.Equal(Enumerable.Range(2, Events), numbers);
        Assert.Equal(0, status.UnhandledEvents);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Events_of_other_types_are_passed_over_or_refused(string database)
    {
        var builder = new HandlerBuilder().Event<string>((_, _, _) => Task.CompletedTask);
        Assert.Equal(Events, (await RunAsync(database, builder.Build())).Status.UnhandledEvents);
        var (status, _) = await RunAsync(database, builder.RefuseOthers().Build(), FailurePolicy.DeadLetter);
        Assert.Equal(Events, status.DeadLetters);
    }

    private Task<int> InsertAsync(ProjectionEvent handled, ReadModelTransaction transaction, CancellationToken cancellation)
    {
        _calls.Add((int)handled.Payload);
        return transaction.ExecuteAsync("INSERT INTO seen VALUES (@number)", cancellation, ("number", handled.Payload));
    }

    private async Task<(ProjectionStatus Status, List<int> Numbers)> RunAsync(string database, ProjectionHandler handler, FailurePolicy policy = FailurePolicy.Stop)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.ExecuteAsync("CREATE TABLE seen (number int PRIMARY KEY)");
        if (!File.Exists(_files.JournalPath))
            await _files.AppendNumbersAsync(Events);
        await using var journal = _files.OpenJournal();
        await using var projection = new Projection(journal, readModel.ReadModel, handler, new()
        {
            Name = "seen", Lanes = 1, OnFailure = policy, MaxAttempts = 2, BatchAge = TimeSpan.FromMinutes(1), BatchSize = Events,
            Decoder = new JsonEvents().Add<int>("number").Decode, TimeProvider = HurriedClock.Instance,
        });
        projection.Start();
        var control = new ProjectionControl(readModel.ReadModel);
        await Wait.UntilAsync(async () => await control.StatusAsync("seen") is [{ Offset: >= Events }], () => "all events");
        return ((await control.StatusAsync("seen"))[0], [.. (await readModel.RowsAsync("SELECT number FROM seen ORDER BY number")).Select(int.Parse)]);
    }

    private sealed class OneByOne(Func<ProjectionEvent, ReadModelTransaction, CancellationToken, Task> handle) : TransactionalHandler
    {
        public override Task HandleAsync(ProjectionEvent @event, ReadModelTransaction transaction, CancellationToken cancellationToken) =>
            handle(@event, transaction, cancellationToken);
    }
}
