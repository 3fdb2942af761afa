using System.Data.Common;
using Npgsql;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.PostgreSql;

/// <summary>Counts the running statements of the reader on the server, continuously and on its own connection.</summary>
internal sealed class PermitWatch : IAsyncDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    private readonly PostgreSqlJournalUnderTest _journal;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _watching;
    private long _most;
    private int _samples;

    internal PermitWatch(PostgreSqlJournalUnderTest journal)
    {
        _journal = journal;
        _watching = WatchAsync();
    }

    /// <summary>The highest number of statements at once.</summary>
    internal long Most => Interlocked.Read(ref _most);

    internal int Samples => Volatile.Read(ref _samples);

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _watching;
    }

    private async Task WatchAsync()
    {
        await Task.Yield();
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                await using var connection = await _journal.ConnectAsync();
                await SampleAsync(connection);
            }
            catch (Exception error) when (error is NpgsqlException or IOException)
            {
                // The server is down; it runs no statement.
                await Task.Delay(Pause, TimeProvider.System, CancellationToken.None);
            }
        }
    }

    private async Task SampleAsync(DbConnection connection)
    {
        for (; !_stop.IsCancellationRequested; Interlocked.Increment(ref _samples))
        {
            var now = await connection.ScalarAsync<long>(PostgreSqlJournalUnderTest.Running);
            if (now > _most)
                Interlocked.Exchange(ref _most, now);
            await Task.Delay(Pause, TimeProvider.System, CancellationToken.None);
        }
    }
}
