using Npgsql;

namespace Throttled.Faults.Nodes;

/// <summary>Counts the running statements of all readers on the server, continuously and on its own connection.</summary>
internal sealed class StatementWatch : IAsyncDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    private readonly NpgsqlDataSource _source;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _lock = new();
    private readonly Task _watching;
    private Dictionary<string, long> _most = [];

    internal StatementWatch(string connectionString)
    {
        _source = NpgsqlDataSource.Create(connectionString);
        _watching = WatchAsync();
    }

    /// <summary>The highest number of statements at once since the last call.</summary>
    /// <returns>The number, and the statements of each reader at that time.</returns>
    internal (long Most, string Readers) Take()
    {
        lock (_lock)
        {
            var most = _most;
            _most = [];
            return (most.Values.Sum(), string.Join(", ", most.Select(each => $"{each.Value} of {each.Key}")));
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _watching;
        await _source.DisposeAsync();
        _stop.Dispose();
    }

    private async Task WatchAsync()
    {
        await Task.Yield();
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                await using var connection = await _source.OpenConnectionAsync();
                while (!_stop.IsCancellationRequested)
                    await SampleAsync(connection);
            }
            catch (Exception error) when (error is NpgsqlException or IOException)
            {
                // The server is down; it runs no statement.
                await Task.Delay(Pause, TimeProvider.System, CancellationToken.None);
            }
        }
    }

    private async Task SampleAsync(NpgsqlConnection connection)
    {
        await using (var command = new NpgsqlCommand(NodeTables.Running, connection))
        await using (var reader = await command.ExecuteReaderAsync())
        {
            Dictionary<string, long> now = [];
            while (await reader.ReadAsync())
                now[reader.GetString(0)] = reader.GetInt64(1);
            lock (_lock)
                _most = now.Values.Sum() > _most.Values.Sum() ? now : _most;
        }
        await Task.Delay(Pause, TimeProvider.System, CancellationToken.None);
    }
}
