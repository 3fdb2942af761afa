using Npgsql;
using Throttled.Journal;
using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Testing;

namespace Throttled.Faults.Rewound;

/// <summary>A journal on a primary with a standby, both behind one address, through which all read and write.</summary>
internal sealed class FailoverWorld : IAsyncDisposable
{
    private readonly PostgreSqlServer _primary;
    private readonly PostgreSqlServer _standby;
    private readonly ServerSwitch _switch;
    private readonly string _database;
    private bool _isStandbyAway;

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

    /// <summary>How readers connect that read the standby, before and after it is promoted.</summary>
    internal string AtStandby => new NpgsqlConnectionStringBuilder(_database) { Port = _standby.Port }.ConnectionString;

    /// <summary>Waits until the standby has all that was committed.</summary>
    internal async Task UntilLevelAsync()
    {
        var end = await AskAsync<string>(_primary, "SELECT pg_current_wal_insert_lsn()::text");
        await Wait.UntilAsync(
            () => AskAsync<bool>(_standby, $"SELECT pg_last_wal_replay_lsn() >= '{end}'::pg_lsn"), () => "a standby that has all");
    }

    /// <summary>What is committed from now on never reaches the standby.</summary>
    internal async Task LoseFromNowOnAsync()
    {
        await UntilLevelAsync();
        _standby.Stop();
        _isStandbyAway = true;
    }

    /// <summary>The primary is killed, the standby takes its place.</summary>
    internal async Task FailOverAsync()
    {
        await Journal.CloseAppenderAsync();
        _primary.Kill();
        if (_isStandbyAway)
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
