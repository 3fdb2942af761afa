using Npgsql;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Standby;

/// <summary>A journal that is written on a primary and read on its standby.</summary>
internal sealed class StandbyWorld : IAsyncDisposable
{
    private readonly string _atStandby;

    private StandbyWorld(Dictionary<string, string>? settings)
    {
        Primary = PostgreSqlServer.Start(200);
        var database = Primary.CreateDatabase();
        Standby = Primary.StartStandby(settings);
        _atStandby = new NpgsqlConnectionStringBuilder(database) { Port = Standby.Port }.ConnectionString;
        Journal = new(Primary, database, JournalTables.Default) { ReaderConnectionString = _atStandby };
    }

    /// <summary>The connection string of the standby.</summary>
    internal string AtStandby => _atStandby;

    internal PostgreSqlServer Primary { get; }

    internal PostgreSqlServer Standby { get; }

    internal PostgreSqlJournalUnderTest Journal { get; }

    internal static async Task<StandbyWorld> StartAsync(Dictionary<string, string>? settings = null)
    {
        var world = new StandbyWorld(settings);
        await world.Journal.CreateAsync();
        return world;
    }

    /// <summary>Pauses the replay; the standby still receives the WAL.</summary>
    internal async Task PauseAsync()
    {
        await AskAsync<bool>("SELECT pg_wal_replay_pause() IS NOT NULL");
        await Wait.UntilAsync(() => AskAsync<bool>("SELECT pg_get_wal_replay_pause_state() = 'paused'"), () => "a replay that is paused");
    }

    /// <summary>Whether the standby has the given number of events.</summary>
    internal async Task<bool> HasAsync(long events) =>
        await AskAsync<bool>("SELECT to_regclass('journal') IS NOT NULL") && await AskAsync<bool>($"SELECT count(*) = {events} FROM journal");

    internal Task ResumeAsync() => AskAsync<bool>("SELECT pg_wal_replay_resume() IS NOT NULL");

    /// <summary>The number of statements that the replay cancelled.</summary>
    internal Task<long> ConflictsAsync() => AskAsync<long>(
        "SELECT confl_lock + confl_snapshot + confl_bufferpin + confl_deadlock FROM pg_stat_database_conflicts WHERE datname = current_database()");

    internal async Task NoStatementRunsAsync() => Assert.Equal(0, await AskAsync<long>(PostgreSqlJournalUnderTest.Running));

    public async ValueTask DisposeAsync()
    {
        await Journal.DisposeAsync();
        Standby.Dispose();
        Primary.Dispose();
    }

    private async Task<T> AskAsync<T>(string sql)
    {
        await using var connection = new NpgsqlConnection($"{_atStandby};Pooling=False");
        await connection.OpenAsync();
        return await connection.ScalarAsync<T>(sql);
    }
}
