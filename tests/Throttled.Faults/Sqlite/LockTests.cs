using System.Data.Common;
using Throttled.Faults.World;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Sqlite;

/// <summary>Another connection locks the database.</summary>
[Collection(AloneCollection.Name)]
public sealed class LockTests(ITestOutputHelper output)
{
    [Fact]
    public Task Readers_of_a_WAL_go_on_while_another_has_the_write_lock() => InWalAsync(150);

    [Fact]
    [Trait("Category", "Long")]
    public Task Very_many_readers_of_a_WAL_go_on_while_another_has_the_write_lock() => InWalAsync(LongShare.Of(20_000));

    [Theory]
    [InlineData("BEGIN EXCLUSIVE", "ROLLBACK")]
    [InlineData("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT", "PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema")]
    [Trait("Category", "Long")]
    public Task Very_many_readers_of_a_rollback_journal_wait_while_another_has_its_lock(string take, string give) =>
        InRollbackModeAsync(LongShare.Of(20_000), take, give);

    // If this lock is taken before any read, the WAL has no shared memory, and no other connection gets in: https://www.sqlite.org/wal.html#noshm
    [Fact]
    public async Task Readers_wait_for_a_writer_that_has_a_WAL_to_itself()
    {
        using var host = new SqliteHost();
        await using var journal = await host.NewJournalAsync();
        await journal.AppendAsync("a", 1, 10);
        await journal.CloseAppenderAsync();
        await using var writer = await journal.ConnectAsync();
        await writer.RunAsync("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader());
        await using var reading = LiveReading.Of(reader.EventsByPersistenceId("a"));
        await meter.MoreAsync(1, "probe");
        Assert.Equal(0, reading.Count);

        await writer.DisposeAsync();

        await reading.UntilAsync(10);
    }

    private async Task InWalAsync(int queries)
    {
        using var host = new SqliteHost();
        await using var journal = await host.NewJournalAsync();
        await using var run = await FaultRun.StartAsync(journal, new("SQLite", queries), output);
        DbConnection? locker = null;
        await run.StrikeTwiceAsync(
            "writers locked out (BEGIN EXCLUSIVE, WAL)",
            async () =>
            {
                locker = await journal.ConnectAsync();
                await locker.RunAsync("BEGIN EXCLUSIVE");
                // All live queries catch up under the lock, and current queries end.
                await run.UntilFollowingAsync();
                await run.Meter.MoreAsync(5, "keys");
                Assert.NotEmpty(await run.Reader.CurrentAllEvents().AllAsync());
            },
            async () => await locker!.DisposeAsync());
        await run.EndAsync();
    }

    private async Task InRollbackModeAsync(int queries, string take, string give)
    {
        using var host = new SqliteHost();
        await using var journal = await host.NewJournalAsync();
        await journal.CloseAppenderAsync();
        await journal.ExecuteAsync("PRAGMA journal_mode = DELETE");
        await using var run = await FaultRun.StartAsync(journal, new("SQLite", queries), output);
        await using var locker = await journal.ConnectAsync();
        await run.StrikeTwiceAsync(
            $"all locked out ({take.Split(';')[0]}, rollback journal)",
            async () =>
            {
                await locker.RunAsync(take);
                // The second statement began under the lock: it failed after a second, and is retried.
                await run.Meter.MoreAsync(2, "anchor", "keys", "probe");
            },
            () => locker.RunAsync(give));
        await run.EndAsync();
    }
}
