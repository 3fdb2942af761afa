using Npgsql;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Rewound;

/// <summary>A journal on a primary with a standby, both behind one address. All reads and writes use that address.</summary>
internal sealed class FailoverWorld : IAsyncDisposable
{
    private readonly PostgreSqlServer _primary;
    private readonly PostgreSqlServer _standby;
    private readonly ServerSwitch _switch;
    private readonly string _database;
    private bool _isReplicationStopped;

    private FailoverWorld()
    {
        _primary = PostgreSqlServer.Start();
        _database = _primary.CreateDatabase();
        _standby = _primary.StartStandby();
        _switch = new(_primary.Port);
        Journal = new(_primary, _switch.Through(_database), JournalTables.Default);
    }

    internal PostgreSqlJournalUnderTest Journal { get; }

    internal static async Task<FailoverWorld> StartAsync()
    {
        var world = new FailoverWorld();
        await world.Journal.CreateAsync();
        return world;
    }

    /// <summary>The connection string of the standby, before and after its promotion.</summary>
    internal string AtStandby => new NpgsqlConnectionStringBuilder(_database) { Port = _standby.Port }.ConnectionString;

    /// <summary>Waits until the standby has all commits.</summary>
    internal async Task UntilCaughtUpAsync()
    {
        var end = await AskAsync<string>(_primary, "SELECT pg_current_wal_insert_lsn()::text");
        await Wait.UntilAsync(
            () => AskAsync<bool>(_standby, $"SELECT pg_last_wal_replay_lsn() >= '{end}'::pg_lsn"), () => "a standby that has all");
    }

    /// <summary>Stops the replication: later commits never reach the standby.</summary>
    internal async Task LoseFromNowOnAsync()
    {
        await UntilCaughtUpAsync();
        _standby.Stop();
        _isReplicationStopped = true;
    }

    /// <summary>Kills the primary and promotes the standby.</summary>
    internal async Task FailOverAsync()
    {
        await Journal.CloseAppenderAsync();
        _primary.Kill();
        if (_isReplicationStopped)
            _standby.Start();
        _standby.Promote();
        _switch.To(_standby.Port);
    }

    public async ValueTask DisposeAsync()
    {
        await Journal.DisposeAsync();
        await _switch.DisposeAsync();
        _standby.Dispose();
        _primary.Dispose();
    }

    private async Task<T> AskAsync<T>(PostgreSqlServer server, string sql)
    {
        var settings = new NpgsqlConnectionStringBuilder(_database) { Port = server.Port, Pooling = false };
        await using var connection = new NpgsqlConnection(settings.ConnectionString);
        await connection.OpenAsync();
        return await connection.ScalarAsync<T>(sql);
    }
}
