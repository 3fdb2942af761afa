using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;
using Throttled.Testing;

namespace Throttled.Benchmarks;

/// <summary>Live queries that have caught up, on a small journal of each database.</summary>
internal sealed class LiveQueries : IAsyncDisposable
{
    private readonly EngineRound _round;

    private LiveQueries(EngineRound round, string[] ids) => (_round, Ids) = (round, ids);

    internal string[] Ids { get; }

    internal Measures Measures => _round.Measures;

    internal static async Task<LiveQueries> StartAsync(CrushSettings settings)
    {
        var database = CrushJournal.Open(settings);
        var ids = CrushEvents.Ids(settings.Streams);
        await new Seeding(settings, database).RunAsync(ids, CancellationToken.None);
        var round = new EngineRound(settings, database, ids, static (_, _) => { });
        await round.RunAsync(CancellationToken.None);
        return await round.Following.AllFollowAsync(ids.Length, CancellationToken.None)
            ? new(round, ids)
            : throw new InvalidOperationException("Not all queries have caught up.");
    }

    internal static CrushSettings Settings(string database, int streams, string? connection) => new()
    {
        Streams = streams,
        Events = 1,
        Page = 500,
        Permits = 100,
        Kind = CrushKind.Named(database),
        Connections = connection is null ? [] : [connection],
        Idle = TimeSpan.FromSeconds(5),
    };

    /// <summary>The databases on this machine, each with a connection string; null for the crush test's own file.</summary>
    internal static async Task OnEachAsync(Func<string, string?, Task> run)
    {
        await run("sqlite", null);
        if (!PostgreSqlServer.IsInstalled)
        {
            Console.WriteLine("PostgreSQL is skipped: its server is not installed.");
            return;
        }
        using var server = PostgreSqlServer.Start();
        await run("postgres", server.ConnectionString());
    }

    /// <exception cref="CrushException">This machine has no PostgreSQL server.</exception>
    internal static void RequirePostgreSql()
    {
        if (!PostgreSqlServer.IsInstalled)
            throw new CrushException("PostgreSQL's server is not installed; this benchmark needs it. Install it, or set PATH to its pg_config.");
    }

    public ValueTask DisposeAsync() => _round.DisposeAsync();
}
