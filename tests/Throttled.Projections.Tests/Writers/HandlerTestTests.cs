using Microsoft.Data.Sqlite;
using Throttled.Projections.Testing;
using Throttled.Projections.Tests.Store;

namespace Throttled.Projections.Tests.Writers;

/// <summary>The kit with which users test their handlers.</summary>
public sealed class HandlerTestTests : IAsyncDisposable
{
    private static int _databases;

    private readonly SqliteConnection _reads;
    private readonly ReadModelDatabase _database;
    private readonly System.Data.Common.DbDataSource _source;

    public HandlerTestTests()
    {
        var connectionString = $"Data Source=kit{Interlocked.Increment(ref _databases)};Mode=Memory;Cache=Shared";
        _source = SqliteFactory.Instance.CreateDataSource(connectionString);
        (_reads, _database) = (new(connectionString), ReadModelDatabase.Sqlite(_source));
    }

    public async ValueTask DisposeAsync()
    {
        await _reads.DisposeAsync();
        await _source.DisposeAsync();
    }

    [Fact]
    public async Task A_batch_is_handled_in_a_transaction_of_SQLite_in_memory()
    {
        await using var test = await HandlerTest.StartAsync(Sums(), _database);
        await test.HandleAsync(new("a", 1), new("b", 2), new("a", 3));
        Assert.Equal("a:4:2 b:2:1", Read());
    }

    [Fact]
    public async Task A_repeated_batch_is_written_once()
    {
        await using var test = await HandlerTest.StartAsync(Sums(), _database);
        await test.RepeatAsync(new("a", 1), new("b", 2));
        await test.RepeatAsync(new TestEvent("a", 3));
        Assert.Equal("a:4:2 b:2:1", Read());
    }

    [Fact]
    public async Task A_replay_gives_the_same_with_batches_of_any_size()
    {
        await using var test = await HandlerTest.StartAsync(Sums(), _database);
        await test.HandleAsync(new("a", 1), new("b", 2), new("a", 3));
        foreach (var size in (int[])[1, 2, 100])
        {
            await test.ReplayAsync(size);
            Assert.Equal("a:4:2 b:2:1", Read());
        }
    }

    [Fact]
    public async Task An_error_of_the_handler_comes_out_and_its_batch_is_not_written()
    {
        await using var test = await HandlerTest.StartAsync(Sums(), _database);
        await test.HandleAsync(new TestEvent("a", 1));
        Assert.Equal("poison", (await Assert.ThrowsAsync<InvalidOperationException>(() => test.HandleAsync(new("a", 2), new("a", -1)))).Message);
        await test.HandleAsync(new TestEvent("a", 3));
        Assert.Equal("a:4:2", Read());
    }

    [Fact]
    public async Task Unhandled_events_are_those_of_the_last_batch()
    {
        await using var test = await HandlerTest.StartAsync(Sums(), _database);
        await test.HandleAsync(new("a", "text"), new("a", 2));
        Assert.Equal("text", Assert.Single(test.Unhandled).Payload);
        await test.HandleAsync(new TestEvent("a", 1));
        Assert.Empty(test.Unhandled);
    }

    [Fact]
    public async Task Functions_of_both_kinds_get_their_look_ups()
    {
        var (sums, mails, sent) = (new HandlerBuilder().Prepare((scope, cancellation) => scope.ExecuteAsync("CREATE TABLE found (number int)", cancellation)), new HandlerBuilder(), new List<string>());
        sums.LookUp(async (batch, cancellation) => await batch.QueryAsync("SELECT count(*) FROM found", row => row.GetInt32(0), cancellation))
            .Event<int>((each, found, transaction, cancellation) => transaction.ExecuteAsync("INSERT INTO found VALUES (@number)", cancellation, ("number", each.Payload + found[0])));
        mails.LookUp((events, version, _) => Task.FromResult($"{version} {events.Count}")).AtLeastOnce<int>((each, found, _, _) =>
        {
            sent.Add($"{found}: {each.Payload}");
            return Task.CompletedTask;
        });
        await using (var test = await HandlerTest.StartAsync(sums.Build(), _database))
        {
            await test.RepeatAsync(new("a", 10), new("b", 20));
            await test.HandleAsync(new TestEvent("a", 30));
            await using var command = _source.CreateCommand("SELECT group_concat(number) FROM found");
            Assert.Equal("10,20,32", await command.ExecuteScalarAsync());
        }
        await using var delivery = await HandlerTest.StartAsync(mails.Build());
        await delivery.HandleAsync(new("a", 1), new("b", 2));
        Assert.Equal(["test 2: 1", "test 2: 2"], sent);
    }

    [Fact]
    public async Task An_at_least_once_handler_needs_no_database_and_gets_repeated_events_twice()
    {
        List<string> sent = [];
        var handler = new HandlerBuilder().AtLeastOnce<int>((each, version, _) =>
        {
            sent.Add($"{version} {each.PersistenceId} {each.SequenceNumber} {each.Ordering} {each.Payload}{(each.IsReplay ? " again" : "")}");
            Assert.Equal(new(version, each.PersistenceId, each.SequenceNumber), each.IdempotencyKey);
            return Task.CompletedTask;
        }).Build();
        await using var test = await HandlerTest.StartAsync(handler, version: "mails");
        await test.HandleAsync(new TestEvent("b", 7));
        await test.RepeatAsync(new("a", 8), new("b", 9));
        Assert.Equal(["mails b 1 1 7", "mails a 1 2 8", "mails b 2 3 9", "mails a 1 2 8", "mails b 2 3 9"], sent);
        sent.Clear();
        await test.ReplayAsync(2);
        Assert.Equal(["mails b 1 1 7 again", "mails a 1 2 8 again", "mails b 2 3 9 again"], sent);
    }

    [Fact]
    public async Task A_handler_that_writes_in_transactions_needs_a_database()
    {
        var error = await Assert.ThrowsAsync<ArgumentException>(() => HandlerTest.StartAsync(Sums()));
        Assert.StartsWith("FunctionHandler writes in transactions, so it needs a read model database. Give one; it may be SQLite in memory.", error.Message, StringComparison.Ordinal);
    }

    // An upsert of the sum, with the last sequence number: a repeated event or a stale row would show.
    private static ProjectionHandler Sums() => new HandlerBuilder()
        .Prepare((scope, cancellation) => scope.ExecuteAsync("CREATE TABLE IF NOT EXISTS sums (id TEXT PRIMARY KEY, sum INT, number INT); DELETE FROM sums", cancellation))
        .Event<int>(async (each, transaction, cancellation) =>
        {
            await transaction.ExecuteAsync(
                "INSERT INTO sums VALUES (@id, @sum, @number) ON CONFLICT (id) DO UPDATE SET sum = sums.sum + excluded.sum, number = excluded.number", cancellation,
                ("id", each.PersistenceId), ("sum", each.Payload), ("number", each.SequenceNumber));
            if (each.Payload < 0)
                throw new InvalidOperationException("poison");
        })
        .Build();

    private string Read()
    {
        if (_reads.State == System.Data.ConnectionState.Closed)
            _reads.Open();
        using var command = _reads.CreateCommand();
        command.CommandText = "SELECT group_concat(id || ':' || sum || ':' || number, ' ') FROM (SELECT * FROM sums ORDER BY id)";
        return $"{command.ExecuteScalar()}";
    }
}
