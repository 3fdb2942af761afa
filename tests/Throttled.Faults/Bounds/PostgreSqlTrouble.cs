using System.Data.Common;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Bounds;

/// <summary>On PostgreSQL: the table of the journal is locked or renamed, or an administrator cancels the statements.</summary>
internal sealed class PostgreSqlTrouble(PostgreSqlJournalUnderTest journal, SilentProxy proxy) : Trouble(journal)
{
    private RawTransaction? _lock;
    private bool _isRenamed;

    internal static async Task<Trouble> OnAsync(PostgreSqlHost host)
    {
        var journal = (PostgreSqlJournalUnderTest)await host.NewJournalAsync();
        await using var connection = await journal.ConnectAsync();
        var proxy = SilentProxy.Before(connection);
        journal.ReaderConnectionString = proxy.Redirect(journal.ReaderConnectionString);
        return new PostgreSqlTrouble(journal, proxy);
    }

    internal override JournalReader OpenReader(JournalOptions options) => Journal.OpenReader(options);

    internal override async Task BlockAsync()
    {
        _lock = await Journal.BeginAsync();
        await _lock.RunAsync($"LOCK TABLE {Journal.Table} IN ACCESS EXCLUSIVE MODE");
    }

    internal override async Task<Task> BlockConnectionsAsync(int count)
    {
        proxy.BeSilent();
        await BlockAsync();
        return Wait.UntilAsync(() => proxy.Silenced >= count, () => $"{count} connections that wait; there are {proxy.Silenced}");
    }

    internal override async Task FailAsync(Action begin, Func<Task<bool>> until)
    {
        await BlockAsync();
        begin();
        await using var other = await Journal.ConnectAsync();
        await Wait.UntilAsync(() => CancelUntilAsync(other, until), () => "statements that failed");
    }

    internal override async Task BreakAsync()
    {
        await Journal.ExecuteAsync($"ALTER TABLE {Journal.Table} RENAME TO renamed");
        _isRenamed = true;
    }

    internal override async Task EndAsync()
    {
        proxy.Speak();
        if (_lock is not null)
            await _lock.DisposeAsync();
        if (_isRenamed)
            await Journal.ExecuteAsync($"ALTER TABLE renamed RENAME TO {Journal.Table}");
        (_lock, _isRenamed) = (null, false);
    }

    internal override Task<long> RunningAsync() => journal.RunningAsync();

    public override async ValueTask DisposeAsync()
    {
        if (_lock is not null)
            await _lock.DisposeAsync();
        proxy.Speak();
        await base.DisposeAsync();
        await proxy.DisposeAsync();
    }

    // Each statement waits a moment for the lock before it is cancelled.
    private static async Task<bool> CancelUntilAsync(DbConnection other, Func<Task<bool>> condition)
    {
        if (await condition())
            return true;
        await other.ScalarAsync<long>(
            $"""
            SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = '{PostgreSqlJournalUnderTest.ReaderName}' AND wait_event_type = 'Lock'
            """);
        return await condition();
    }
}
