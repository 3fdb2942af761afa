using System.Diagnostics;
using System.Globalization;
using Npgsql;
using Throttled.Testing.Scripted;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class CancelTests
{
    private static readonly TimeSpan ResendInterval = TimeSpan.FromMilliseconds(500);

    [PostgreSqlFact]
    public async Task A_cancel_that_comes_before_its_statement_begins_is_sent_again_and_the_session_is_kept()
    {
        await using var journal = await CreateAsync();
        var clock = new FakeClock();
        using var log = new DriverLog();
        await using var given = new NpgsqlDataSourceBuilder(
            $"{journal.ConnectionString};Application Name=throttled;Cancellation Timeout=60000").UseLoggerFactory(log).Build();
        await using var database = new PostgreSqlDatabase(PostgreSqlSource.Of(given), new() { TimeProvider = clock });
        await database.ReadPagesAsync(Statement(Ask("a")), default);
        var pid = await journal.ReaderAsync();
        await using var holder = await journal.LockAsync();
        var sent = Executed(log);
        using var stop = new CancellationTokenSource();
        Task reading;
        Signals.Send("STOP", pid);
        try
        {
            reading = database.ReadPagesAsync(Statement(Ask("a")), stop.Token);
            await Wait.UntilAsync(() => Executed(log) > sent, "the statement is on its way");
            await stop.CancelAsync();
        }
        finally
        {
            Signals.Send("CONT", pid);
        }

        await UntilBlockedAsync(journal);
        Assert.False(reading.IsCompleted);
        clock.Advance(ResendInterval);
        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.WithinAsync("the second cancel"));
        Assert.Equal(stop.Token, error.CancellationToken);
        Assert.Equal(0, await journal.RunningAsync());
        await holder.DisposeAsync();
        await database.ReadPagesAsync(Statement(Ask("a")), default);
        Assert.Equal(pid, await journal.ReaderAsync());
    }

    [PostgreSqlFact]
    public async Task A_lost_cancel_request_is_sent_again()
    {
        await using var journal = await CreateAsync();
        var clock = new FakeClock();
        await using var proxy = CancelProxy.Before(journal.ConnectionString);
        await using var database = new PostgreSqlDatabase(
            PostgreSqlSource.Parse(proxy.ConnectionString), new() { TimeProvider = clock });
        await using var holder = await journal.LockAsync();
        using var stop = new CancellationTokenSource();
        var reading = database.ReadPagesAsync(Statement(Ask("a")), stop.Token);
        await UntilBlockedAsync(journal);
        await stop.CancelAsync();
        Assert.Equal((2, 1), (proxy.Connections, proxy.Swallowed));
        Assert.Equal(1, await journal.RunningAsync());
        clock.Advance(ResendInterval);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.WithinAsync("the second cancel"));
        Assert.Equal((3, 1), (proxy.Connections, proxy.Swallowed));
        Assert.Equal(0, await journal.RunningAsync());
        clock.Advance(ResendInterval * 10);
        await holder.DisposeAsync();
        await database.ReadPagesAsync(Statement(Ask("a")), default);
        Assert.Equal(3, proxy.Connections);
    }

    [PostgreSqlFact]
    public async Task A_call_that_completes_sets_no_timer_and_opens_no_connection()
    {
        await using var journal = await CreateAsync();
        var clock = new FakeClock();
        await using var proxy = CancelProxy.Before(journal.ConnectionString);
        await using var database = new PostgreSqlDatabase(
            PostgreSqlSource.Parse(proxy.ConnectionString), new() { TimeProvider = clock });
        await using var holder = await journal.LockAsync();
        using var stop = new CancellationTokenSource();
        var reading = database.ReadPagesAsync(Statement(Ask("a")), stop.Token);
        await UntilBlockedAsync(journal);
        Assert.Null(clock.NextRing);
        clock.Advance(ResendInterval * 10);
        await holder.DisposeAsync();
        await reading;
        await stop.CancelAsync();
        clock.Advance(ResendInterval * 10);
        await database.ReadPagesAsync(Statement(Ask("a")), default);
        Assert.Equal((1, 0), (proxy.Connections, proxy.Swallowed));
    }

    // Statements that open a session do not count.
    private static Task UntilBlockedAsync(TestJournal journal) => Wait.UntilAsync(
        async () => await journal.ScalarAsync<long>(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'throttled' AND wait_event_type = 'Lock'") == 1,
        () => "the statement waits for its lock");

    private static int Executed(DriverLog log) =>
        log.Lines.Count(line => line.StartsWith("Executing", StringComparison.Ordinal) && line.Contains("LATERAL", StringComparison.Ordinal));
}
