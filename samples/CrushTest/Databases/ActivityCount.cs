using Npgsql;

namespace CrushTest.Databases;

/// <summary>Asks pg_stat_activity all the time how many sessions of one name are running a statement.</summary>
internal sealed class ActivityCount : IStatementCount
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    private readonly CancellationTokenSource _end = new();
    private readonly NpgsqlConnection _connection;
    private readonly Task _counting;
    private int _most;

    private ActivityCount(NpgsqlConnection connection, string application)
    {
        _connection = connection;
        _counting = CountAsync(application);
    }

    public int Most => Volatile.Read(ref _most);

    internal static async Task<IStatementCount?> BeginAsync(NpgsqlDataSource source, string application, CancellationToken cancellation) =>
        new ActivityCount(await source.OpenConnectionAsync(cancellation), application);

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _counting;
        await _connection.DisposeAsync();
        _end.Dispose();
    }

    private async Task CountAsync(string application)
    {
        await using var command = new NpgsqlCommand(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'", _connection)
        {
            Parameters = { new() { Value = application } },
        };
        try
        {
            await command.PrepareAsync(_end.Token);
            while (true)
            {
                var now = (int)(long)(await command.ExecuteScalarAsync(_end.Token))!;
                _most = Math.Max(_most, now);
                await Task.Delay(Pause, _end.Token);
            }
        }
        catch (OperationCanceledException)
        {
        }
        catch (NpgsqlException) when (_end.IsCancellationRequested)
        {
        }
    }
}
