using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class PollTests
{
    private const string Insert =
        "INSERT INTO journal(deleted, persistence_id, sequence_number, created, message) VALUES (false, 'late', 1, 0, '')";

    private const string Partitions =
        """
        ALTER TABLE journal RENAME TO old;
        CREATE TABLE journal (LIKE old) PARTITION BY RANGE (ordering);
        CREATE TABLE journal_1 PARTITION OF journal DEFAULT;
        CREATE SEQUENCE parted OWNED BY journal.ordering;
        """;

    [PostgreSqlFact]
    public async Task An_empty_journal_has_no_last_key_and_no_open_transactions()
    {
        await using var journal = await CreateAsync();
        var start = await journal.Database.ReadStartAsync(default);
        Assert.Null(start.Last);
        Assert.Empty(start.OpenTransactions!);
    }

    [PostgreSqlTheory]
    [InlineData("COMMIT")]
    [InlineData("ROLLBACK")]
    public async Task A_transaction_that_has_drawn_an_ordering_is_open_until_it_ends(string end)
    {
        await using var journal = await CreateAsync();
        await using var writer = await journal.Sql.OpenConnectionAsync();
        await RunAsync(writer, $"BEGIN; SAVEPOINT s; {Insert}; ROLLBACK TO s");
        await journal.AppendAsync(Event("a", 1));
        var start = await journal.Database.ReadStartAsync(default);
        Assert.Equal(new(2, "a", 1), start.Last);
        Assert.Single(start.OpenTransactions!);
        await RunAsync(writer, end);
        Assert.Empty((await journal.Database.ReadStartAsync(default)).OpenTransactions!);
    }

    [PostgreSqlFact]
    public async Task Reading_the_sequence_or_deleting_does_not_count_as_open()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync(Event("a", 1));
        await using var other = await journal.Sql.OpenConnectionAsync();
        await RunAsync(other, "BEGIN; SELECT * FROM journal_ordering_seq; DELETE FROM journal");
        Assert.Empty((await journal.Database.ReadStartAsync(default)).OpenTransactions!);
    }

    // It keeps its name until the server restarts and names it by its transaction id.
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task A_prepared_transaction_is_open_until_it_ends_even_after_a_restart()
    {
        using var server = PostgreSqlServer.Start(maxConnections: 20);
        await using var journal = await CreateAsync(server: server);
        await journal.ExecuteAsync($"BEGIN; {Insert}; PREPARE TRANSACTION 'p'");
        Assert.Single((await journal.Database.ReadStartAsync(default)).OpenTransactions!);
        server.Stop();
        server.Start();
        await Assert.ThrowsAnyAsync<Exception>(() => journal.Database.ReadStartAsync(default));
        var open = Assert.Single((await journal.Database.ReadStartAsync(default)).OpenTransactions!);
        Assert.StartsWith("-1/", open, StringComparison.Ordinal);
        await journal.ExecuteAsync("COMMIT PREPARED 'p'");
        Assert.Empty((await journal.Database.ReadStartAsync(default)).OpenTransactions!);
    }

    [PostgreSqlFact]
    public async Task Without_a_sequence_of_its_own_open_transactions_are_unknown()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync("ALTER TABLE journal ALTER ordering DROP IDENTITY");
        Assert.Null((await journal.Database.ReadStartAsync(default)).OpenTransactions);
        Assert.Contains("is not drawn from a sequence", (await journal.Database.ProbeAsync(default)).Warning, StringComparison.Ordinal);
    }

    [PostgreSqlTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task With_a_subscription_open_transactions_are_unknown_even_to_a_reader_with_the_fewest_rights(bool partitioned)
    {
        await using var journal = await CreateAsync();
        if (partitioned)
            await journal.ExecuteAsync(Partitions);
        await journal.ExecuteAsync("CREATE ROLE least LOGIN PASSWORD 'secret'; GRANT SELECT ON journal, tags TO least; GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO least");
        await using (var database = journal.Open(new(), ";Username=least;Password=secret"))
        {
            Assert.Empty((await database.ReadStartAsync(default)).OpenTransactions!);
            Assert.Null((await database.ProbeAsync(default)).Warning);
            // ALTER SUBSCRIPTION … REFRESH PUBLICATION writes this row. A publisher would need a server of its own.
            var version = partitioned ? "journal_1" : "journal";
            await journal.ExecuteAsync($"INSERT INTO pg_subscription_rel VALUES (1, '{version}'::regclass, 'r', NULL)");
            Assert.Null((await database.ReadStartAsync(default)).OpenTransactions);
            Assert.Contains("subscription", (await database.ProbeAsync(default)).Warning, StringComparison.Ordinal);
        }

        await journal.ExecuteAsync("DROP OWNED BY least; DROP ROLE least");
    }

    [PostgreSqlFact]
    public async Task A_key_that_commits_late_is_found_in_its_gap()
    {
        await using var journal = await CreateAsync();
        await using var writer = await journal.Sql.OpenConnectionAsync();
        await journal.AppendAsync("a", 2);
        await RunAsync(writer, $"BEGIN; {Insert}");
        await journal.AppendAsync("b", 3);
        var request = new KeysRequest(6, [new(3, 3), new(5, 5)], Limit: 10) { WithOpenTransactions = true };
        var before = await journal.Database.ReadKeysAsync(request, default);
        Assert.Equal([5], before.Late.Select(key => key.Ordering));
        Assert.Single(before.OpenTransactions!);
        await RunAsync(writer, "COMMIT");
        var after = await journal.Database.ReadKeysAsync(request, default);
        Assert.Equal([3, 5], after.Late.Select(key => key.Ordering));
        Assert.Empty(after.OpenTransactions!);
        Assert.Equal(new(6, "b", 3), Assert.Single(after.Above));
    }

    [PostgreSqlTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Late_rows_without_room_are_left_for_later_with_their_tags(TagMode mode)
    {
        await using var journal = await CreateAsync(JournalTables.Default with { TagMode = mode });
        await journal.AppendAsync(Event("a", 1), Event("a", 2, "x"), Event("a", 3, "y"), Event("b", 1, "z"));
        // The first late row exhausts the budget. The second one is read later, so its tags come with its key.
        var little = new KeysRequest(4, [new(1, 2)], Limit: 10) { WithTags = true, Rows = new([], new ByteBudget(1)) };
        var stopped = await journal.Database.ReadKeysAsync(little, default);
        Assert.Equal([new(1, "a", 1), new(2, "a", 2)], stopped.Late);
        Assert.Equal(["1 a 1 "], Found(little));
        Assert.Equal(["x"], stopped.Tags[2]);
        Assert.False(stopped.IsTruncated);

        // The row above the position has exhausted it.
        var none = new KeysRequest(3, [new(1, 2)], Limit: 10) { WithTags = true, Rows = new([], new ByteBudget(1)) };
        var keys = await journal.Database.ReadKeysAsync(none, default);
        Assert.Equal([new(1, "a", 1), new(2, "a", 2)], keys.Late);
        Assert.Equal(["4 b 1 z"], Found(none));
        Assert.Equal(["x"], keys.Tags[2]);
        Assert.True(keys.IsTruncated);

        static IEnumerable<string> Found(KeysRequest request) => request.Rows!.Events.OrderBy(row => row.Ordering)
            .Select(row => $"{row.Ordering} {row.PersistenceId} {row.SequenceNumber} {string.Join(',', row.Tags)}");
    }

    [PostgreSqlFact]
    public async Task Open_transactions_are_not_read_for_gaps_that_are_filled()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 4);
        var filled = new KeysRequest(4, [new(1, 1), new(3, 3)], Limit: 10) { WithOpenTransactions = true, OnlyForGaps = true };
        Assert.Null((await journal.Database.ReadKeysAsync(filled, default)).OpenTransactions);
        await journal.ExecuteAsync("DELETE FROM journal WHERE ordering = 3");
        Assert.NotNull((await journal.Database.ReadKeysAsync(filled, default)).OpenTransactions);
    }

    [PostgreSqlFact]
    public async Task Rows_are_read_by_ordering_with_their_tags_and_without_the_deleted()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync(Event("a", 1, "x"), Event("a", 2), Event("b", 1, "x", "y"), Event("b", 2, "z"));
        await journal.ExecuteAsync("UPDATE journal SET deleted = true WHERE ordering = 4");
        var wanted = new TailRows([1, 3, 4, 99], new ByteBudget(long.MaxValue));
        await journal.Database.ReadRowsAsync(wanted, default);
        var rows = wanted.Events.OrderBy(row => row.Ordering).ToList();
        Assert.Equal([1, 3], rows.Select(row => row.Ordering));
        Assert.Equal(["x"], rows[0].Tags);
        Assert.Equal(["x", "y"], rows[1].Tags.Order());
    }

    [PostgreSqlFact]
    public async Task A_commit_wakes_the_listener()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync(await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "notify-postgresql.sql")));
        await using var database = journal.Open(new() { Notify = true });
        using var stop = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        var woken = new TaskCompletionSource();
        var listening = database.ListenAsync(() => woken.TrySetResult(), stop.Token);
        while (await journal.ScalarAsync<long>("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND state = 'idle'") == 0)
            stop.Token.ThrowIfCancellationRequested();
        await journal.AppendAsync(Event("a", 1));
        await woken.Task.WaitAsync(stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => listening);
    }

    [PostgreSqlFact]
    public async Task A_broken_connection_ends_the_listener()
    {
        await using var journal = await CreateAsync();
        await using var database = journal.Open(new() { Notify = true }, ";Application Name=listener");
        var listening = database.ListenAsync(() => { }, default);
        while (!listening.IsCompleted)
            await journal.ExecuteAsync("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listener' AND query LIKE 'LISTEN%'");
        var error = await Assert.ThrowsAnyAsync<NpgsqlException>(() => listening);
        Assert.Equal(FaultKind.ConnectionLost, database.Classify(error));
    }

    [PostgreSqlFact]
    public async Task Without_Notify_there_is_no_listener()
    {
        await using var journal = await CreateAsync();
        await journal.Database.ListenAsync(() => { }, default);
    }

    private static async Task RunAsync(NpgsqlConnection connection, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }
}
