using System.Data.Common;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Throttled.Projections.EntityFrameworkCore;
using Throttled.Projections.Linq2Db;
using Throttled.Projections.Testing;
using Throttled.Projections.Tests.Store;

namespace Throttled.Projections.Tests.Writers;

/// <summary>A context of EF Core in the transaction of the offset.</summary>
public sealed class DbContextTests
{
    private readonly HashSet<Guid> _contexts = [];

    // 40 + 20 + 20 + …: the poison is found by halves, because the save of a whole batch does not name it.
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Tracked_entities_are_saved_once_though_batches_are_rolled_back_and_divided(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        await run.CheckAsync(await run.HandleAsync(Tracking()));
        Assert.InRange(_contexts.Count, 5, 15);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Each_batch_has_a_context_of_its_own(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        await run.CheckAsync(await run.HandleAsync(Tracking(), batch: 1));
        Assert.Equal(NumbersRun.Events, _contexts.Count);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_batch_handler_and_functions_share_the_context_of_a_batch(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        var handler = new HandlerBuilder().Batch(async (batch, cancellation) =>
        {
            foreach (var each in batch)
                await AddAsync(batch.GetDbContext(NumbersContext.On), (int)each.Payload, cancellation);
            Assert.Same(batch.GetDbContext(NumbersContext.On), batch.GetDbContext<NumbersContext>(_ => throw new InvalidOperationException("A second context.")));
        }).Build();
        await run.CheckAsync(await run.HandleAsync(handler, batch: 8));
    }

    // With the savepoints of EF Core, the transaction would still be usable, and the error would count against the events.
    [Theory, OnPostgreSql]
    public async Task A_transient_error_at_the_save_repeats_the_batch_and_costs_no_event_an_attempt(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        await run.FailOnceAsync();
        var status = await run.HandleAsync(Tracking());
        Assert.Equal(0, status.DeadLetters);
        Assert.Equal(Enumerable.Range(1, NumbersRun.Events).Sum(), await run.TotalAsync());
        Assert.Equal(2, _contexts.Count);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task An_event_without_a_use_of_the_context_is_unhandled(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        var handler = new HandlerBuilder()
            .Event<int>((each, transaction, cancellation) => each.Payload % 2 == 0 && each.Payload != NumbersRun.Poison
                ? AddAsync(transaction.GetDbContext(NumbersContext.On), each.Payload, cancellation)
                : Task.CompletedTask)
            .Build();
        Assert.Equal(NumbersRun.Events / 2, (await run.HandleAsync(handler)).UnhandledEvents);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_read_model_is_emptied_with_a_context(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        await run.ReadModel.ExecuteAsync("INSERT INTO seen VALUES (1000)");
        var handler = new HandlerBuilder()
            .Prepare(async (scope, cancellation) =>
            {
                await scope.GetDbContext(NumbersContext.On).Seen.ExecuteDeleteAsync(cancellation);
                scope.GetDbContext(NumbersContext.On).Seen.Add(new() { Value = 500 });
            })
            .Event<int>((each, transaction, cancellation) => AddAsync(transaction.GetDbContext(NumbersContext.On), each.Payload, cancellation))
            .Build();
        await run.HandleAsync(handler);
        Assert.Equal([.. NumbersRun.Good, 500], await run.NumbersAsync());
    }

    // EF Core adds functions for decimals to a SQLite connection only if the context is created on it.
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_query_over_decimals_works_on_the_connection_of_the_lane(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        var sum = 0m;
        await run.HandleAsync(new HandlerBuilder()
            .Event<int>(async (each, transaction, cancellation) =>
            {
                var context = transaction.GetDbContext(NumbersContext.On);
                sum = await context.Totals.SumAsync(total => (decimal)total.Sum + 1.5m, cancellation);
            })
            .Build());
        Assert.Equal(1.5m, sum);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_context_that_would_work_outside_the_transaction_is_refused(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        Assert.StartsWith(
            $"{typeof(NumbersContext)} has another connection than the transaction; create it on the one that the function gets",
            await RefusedAsync(readModel, connection => NumbersContext.On((DbConnection)Activator.CreateInstance(connection.GetType())!)),
            StringComparison.Ordinal);
        Assert.Equal(
            $"{typeof(NumbersContext)} owns the connection, and would close it; leave out 'contextOwnsConnection'.",
            await RefusedAsync(readModel, connection => new(NumbersContext.OptionsOn<NumbersContext>(connection, isOwned: true))));
    }

    [Fact]
    public async Task A_context_that_is_refused_is_disposed()
    {
        await using var readModel = await TestReadModel.CreateAsync(OnSqliteAttribute.Name);
        NumbersContext? refused = null;
        await RefusedAsync(readModel, _ => refused = NumbersContext.On(new SqliteConnection()));
        Assert.Throws<ObjectDisposedException>(() => refused!.Seen.Add(new()));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_handler_may_save_by_itself_as_often_as_it_wants(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        var status = await run.HandleAsync(new HandlerBuilder().Event<int>(async (each, transaction, cancellation) =>
        {
            var context = transaction.GetDbContext(NumbersContext.On);
            if (each.Payload == NumbersRun.Poison)
                return;
            context.Seen.Add(new() { Value = each.Payload });
            await context.SaveChangesAsync(cancellation);
        }).Build());
        Assert.Equal(0, status.DeadLetters);
        Assert.Equal(NumbersRun.Good, await run.NumbersAsync());
    }

    [Theory, OnPostgreSql, OnSqlServer]
    public async Task A_context_that_retries_is_refused(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        Assert.StartsWith(
            $"{typeof(NumbersContext)} has {(readModel.IsSqlServer ? "SqlServer" : "Npgsql")}RetryingExecutionStrategy, which retries",
            await RefusedAsync(readModel, connection => new((readModel.IsSqlServer
                ? NumbersContext.Builder.UseSqlServer(connection, options => options.EnableRetryOnFailure())
                : NumbersContext.Builder.UseNpgsql(connection, options => options.EnableRetryOnFailure())).Options)),
            StringComparison.Ordinal);
    }

    // Without a savepoint, SQLite keeps the rows of a save that failed. They would be committed, or written a second time.
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_context_without_a_provider_stops_the_lane_and_no_event_is_a_dead_letter(string database) =>
        StopsAsync(database, transaction => transaction.GetDbContext(_ => new NumbersContext(NumbersContext.Builder.Options)), "NumbersContext has no valid provider or model. No database provider");

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_context_with_an_invalid_model_stops_the_lane_and_no_event_is_a_dead_letter(string database) => StopsAsync(
        database,
        transaction => transaction.GetDbContext(connection => new KeylessContext(NumbersContext.OptionsOn<KeylessContext>(connection))),
        "KeylessContext has no valid provider or model. The entity type 'Keyless' requires a primary key");

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_context_that_is_null_stops_the_lane_and_no_event_is_a_dead_letter(string database) =>
        StopsAsync(database, transaction => transaction.GetDbContext<NumbersContext>(_ => null!), "The function returned null");

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_save_whose_error_the_handler_caught_is_not_committed(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        await using var test = await HandlerTest.StartAsync(Catching((_, cancellation) => cancellation), run.ReadModel.ReadModel);
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => test.HandleAsync(new("a", 1), new("a", 2)));
        Assert.StartsWith($"SaveChanges of {typeof(NumbersContext)} failed, and the handler caught the error.", error.Message, StringComparison.Ordinal);
        Assert.IsType<DbUpdateException>(error.InnerException);
        Assert.Empty(await run.NumbersAsync());
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_save_that_the_handler_cancelled_is_not_committed(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        await using var test = await HandlerTest.StartAsync(Catching((number, _) => new(canceled: number == 1)), run.ReadModel.ReadModel);
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => test.HandleAsync(new TestEvent("a", 1)));
        // EF Core has reported no failure.
        Assert.Null(error.InnerException);
        Assert.Empty(await run.NumbersAsync());
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_call_that_the_handler_did_not_await_gets_no_writer(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        var handler = new HandlerBuilder()
            .Event<int>((_, transaction, _) =>
            {
                // This save is that after the handler.
                transaction.GetDbContext(NumbersContext.On).SavingChanges += (_, _) => transaction.GetDataConnection();
                return Task.CompletedTask;
            })
            .Build();
        await using var test = await HandlerTest.StartAsync(handler, run.ReadModel.ReadModel);
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => test.HandleAsync(new TestEvent("a", 1)));
        Assert.StartsWith("The handler has returned", error.Message, StringComparison.Ordinal);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_function_that_returns_no_context_is_refused(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        Assert.Equal($"The function returned null; return a new {typeof(NumbersContext)}.", await RefusedAsync(readModel, _ => null!));
    }

    // Saves a good row and the poison, and goes on as if nothing had happened.
    private static ProjectionHandler Catching(Func<int, CancellationToken, CancellationToken> token) => new HandlerBuilder()
        .Event<int>(async (each, transaction, cancellation) =>
        {
            var context = transaction.GetDbContext(NumbersContext.On);
            context.Seen.AddRange(new() { Value = each.Payload }, new() { Value = NumbersRun.Poison });
            try
            {
                await context.SaveChangesAsync(token(each.Payload, cancellation));
            }
            catch (Exception error) when (error is DbUpdateException or OperationCanceledException)
            {
                context.ChangeTracker.Clear();
            }
        })
        .Build();

    private static async Task StopsAsync(string database, Action<ReadModelTransaction> use, string error)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        var status = await run.HandleAsync(new HandlerBuilder().Event<int>((_, transaction, _) =>
        {
            use(transaction);
            return Task.CompletedTask;
        }).Build());
        Assert.Equal((0, 0L), (status.DeadLetters, status.Offset));
        Assert.StartsWith("The handler is not configured correctly, so no event was tried", status.Lanes[0].Error, StringComparison.Ordinal);
        Assert.Contains(error, status.Lanes[0].Error, StringComparison.Ordinal);
    }

    private static async Task<string> RefusedAsync(TestReadModel readModel, Func<DbConnection, NumbersContext> create)
    {
        var handler = new HandlerBuilder().Event<int>((_, transaction, _) => Task.FromResult(transaction.GetDbContext(create))).Build();
        await using var test = await HandlerTest.StartAsync(handler, readModel.ReadModel);
        return (await Assert.ThrowsAnyAsync<InvalidOperationException>(() => test.HandleAsync(new TestEvent("id", 1)))).Message;
    }

    private ProjectionHandler Tracking() => new HandlerBuilder()
        .Event<int>((each, transaction, cancellation) =>
        {
            var context = transaction.GetDbContext(NumbersContext.On);
            _contexts.Add(context.ContextId.InstanceId);
            return AddAsync(context, each.Payload, cancellation);
        })
        .Build();

    // Reads, changes in memory and writes back: an entity from a transaction that was rolled back would change the total.
    private static async Task AddAsync(NumbersContext context, int number, CancellationToken cancellation)
    {
        context.Seen.Add(new() { Value = number });
        (await context.Totals.FindAsync([1], cancellation))!.Sum += number;
    }

    private sealed class KeylessContext(DbContextOptions<KeylessContext> options) : DbContext(options)
    {
        protected override void OnModelCreating(ModelBuilder modelBuilder) => modelBuilder.Entity<Keyless>();
    }

    private sealed class Keyless
    {
        public string? Text { get; init; }
    }
}
