using Throttled.Journal.Contract;

namespace Throttled.Journal.Sqlite.Tests.Contract;

public sealed class SqliteLockTests(SqliteHost host) : IClassFixture<SqliteHost>
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_writer_that_locks_the_database_for_seconds_costs_no_query_and_no_event(bool isFollowing)
    {
        await using var journal = await host.NewJournalAsync();
        var ids = TestEvents.Ids("id", 100);
        await journal.AppendAsync([.. TestEvents.OfEach(ids, 1, 20)]);
        await journal.CloseAppenderAsync();
        // In WAL mode a writer would lock nobody out.
        await journal.ExecuteAsync("PRAGMA journal_mode = DELETE");
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 10 }));
        await using var first = new Crowd(reader, isFollowing ? ids : ids[..1]);
        await first.UntilAsync(isFollowing ? 100 * 20 : 20);
        await meter.UntilFollowingAsync(isFollowing ? 100 : 1);

        await using var writer = await journal.ConnectAsync();
        await writer.RunAsync("BEGIN EXCLUSIVE");
        var failed = meter.Statements;
        await using var second = new Crowd(reader, ids);
        // Each statement gives up after its busy time-out of a second, and is tried again.
        await Wait.UntilAsync(() => meter.Statements >= failed + 4, () => $"four statements more that failed; {meter}");
        Assert.Equal(0, second.Events);
        await writer.RunAsync(string.Join(';', ids.Select(id =>
            $"INSERT INTO {journal.Table} (deleted, persistence_id, sequence_number, created, message) "
            + $"VALUES (0, '{id}', 21, 1, CAST('{TestEvents.Text(id, 21)}' AS BLOB))")));
        await writer.RunAsync("COMMIT");

        await second.UntilAsync(100 * 21);
        await first.UntilAsync(isFollowing ? 100 * 21 : 21);
    }
}
