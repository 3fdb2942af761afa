using System.Diagnostics;
using Akka.Configuration;
using CrushTest.Actors;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;
using Npgsql;
using Throttled.Benchmarks.Tags;

namespace Throttled.Benchmarks;

/// <summary>Measures the statements per second while all queries are idle, for one query and for many, beside the existing plugin.</summary>
internal static class IdleQueries
{
    // The existing plugin reads more queries than this in turns of several seconds.
    private const int MostBeside = 10_000;

    private static readonly TimeSpan Watched = TimeSpan.FromSeconds(5);

    internal static async Task RunAsync()
    {
        List<string> table = ["| database | live queries | statements per second | Akka.Persistence.Sql |", "|---|---:|---:|---:|"];
        await LiveQueries.OnEachAsync(async (database, connection) =>
        {
            foreach (var count in new[] { 1, 10, 100, 1_000, 10_000, 100_000 })
            {
                var settings = LiveQueries.Settings(database, count, connection);
                var ours = await OursAsync(settings);
                var theirs = connection is null || count > MostBeside ? "" : $"{await TheirsAsync(settings, connection):N1}";
                table.Add($"| {database} | {count:N0} | {ours:N1} | {theirs} |");
                Console.WriteLine(table[^1]);
            }
        });
        Results.Write(
            "idle.md",
            "Statements of idle queries",
            "All statements of a reader while nothing is written, with a refresh interval of 200 ms: one poll per interval is 5 per second. Akka.Persistence.Sql\n"
            + "has the same live queries by persistence id in actors, the same interval and the same permits; its statements are the transactions that\n"
            + $"PostgreSQL counts (pg_stat_database), up to {MostBeside:N0} queries. `./build.sh bench idle`",
            table);
    }

    private static async Task<double> OursAsync(CrushSettings settings)
    {
        await using var queries = await LiveQueries.StartAsync(settings);
        // After its last events, the tail takes some time to reach its slowest polling.
        await Task.Delay(TimeSpan.FromSeconds(1));
        var before = queries.Measures.Statements;
        await Task.Delay(Watched);
        return (queries.Measures.Statements - before) / Watched.TotalSeconds;
    }

    private static async Task<double> TheirsAsync(CrushSettings settings, string connection)
    {
        // Opened first, because the existing plugin takes all connections that the server has.
        await using var watching = new NpgsqlConnection(new NpgsqlConnectionStringBuilder(connection) { Pooling = false }.ConnectionString);
        await watching.OpenAsync();
        var rate = await TheirRateAsync(settings, watching);
        // Its last queries end after its actor system. The next round needs their connections.
        await ServerLoad.EndOthersAsync(watching);
        return rate;
    }

    private static async Task<double> TheirRateAsync(CrushSettings settings, NpgsqlConnection watching)
    {
        var journal = CrushJournal.Open(settings);
        var config = ConfigurationFactory.ParseString($"{ActorConfig.ExistingTimeout} = 1h").WithFallback(ActorConfig.Existing(settings, journal));
        await using var round = ActorRound.Existing(settings, journal, CrushEvents.Ids(settings.Streams), config);
        await round.RunAsync(CancellationToken.None);
        var (before, watch) = (await TransactionsAsync(watching), Stopwatch.StartNew());
        await Task.Delay(Watched);
        return (await TransactionsAsync(watching) - before) / watch.Elapsed.TotalSeconds;
    }

    // A server process reports its counts at most once per second: https://www.postgresql.org/docs/current/monitoring-stats.html
    private static async Task<long> TransactionsAsync(NpgsqlConnection watching)
    {
        await Task.Delay(TimeSpan.FromSeconds(1));
        return await CountAsync(watching, "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()");
    }

    private static async Task<long> CountAsync(NpgsqlConnection connection, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        return (long)(await command.ExecuteScalarAsync())!;
    }
}
