using System.Globalization;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;
using Throttled.Testing;

namespace Throttled.Benchmarks;

/// <summary>Live queries that have caught up, on a small journal of each database.</summary>
internal sealed class LiveQueries : IAsyncDisposable
{
    // Of 2 MB each: enough for shared_buffers (256 MB) and the server's other shared memory.
    private const int HugePages = 200;

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

    /// <summary>The databases on this machine, each with a connection string; null for the crush test's own file. PostgreSQL uses no huge pages.</summary>
    internal static async Task OnEachAsync(Func<string, string?, Task> run)
    {
        await run("sqlite", null);
        if (!PostgreSqlServer.IsInstalled)
        {
            Console.WriteLine("PostgreSQL is skipped: its server is not installed.");
            return;
        }
        await OnPostgreSqlAsync([], run);
    }

    /// <summary>A PostgreSQL server with huge pages, if this machine has reserved enough of them (Linux, vm.nr_hugepages).</summary>
    internal static async Task OnHugePagesAsync(Func<string, string?, Task> run)
    {
        if (PostgreSqlServer.IsInstalled && FreeHugePages() >= HugePages)
            await OnPostgreSqlAsync(new() { ["huge_pages"] = "on" }, run);
        else
            Console.WriteLine($"PostgreSQL with huge pages is skipped: it needs the server and {HugePages} free huge pages (sysctl vm.nr_hugepages={HugePages}).");
    }

    /// <summary>The name of the database in a row with huge pages.</summary>
    internal static string NameWithHugePages(string database) => $"{database}, huge pages";

    /// <exception cref="CrushException">This machine has no PostgreSQL server.</exception>
    internal static void RequirePostgreSql()
    {
        if (!PostgreSqlServer.IsInstalled)
            throw new CrushException("PostgreSQL's server is not installed; this benchmark needs it. Install it, or set PATH to its pg_config.");
    }

    public ValueTask DisposeAsync() => _round.DisposeAsync();

    private static async Task OnPostgreSqlAsync(Dictionary<string, string> settings, Func<string, string?, Task> run)
    {
        using var server = PostgreSqlServer.Start(settings: settings);
        await run("postgres", server.ConnectionString());
    }

    // Free pages include those that other processes have reserved.
    private static long FreeHugePages()
    {
        const string file = "/proc/meminfo";
        if (!File.Exists(file))
            return 0;
        var figures = File.ReadLines(file).Select(line => line.Split(':')).ToDictionary(parts => parts[0], parts => parts[1].Trim().Split(' ')[0]);
        return Figure("Hugepagesize") == 2048 ? Figure("HugePages_Free") - Figure("HugePages_Rsvd") : 0;

        long Figure(string name) => figures.TryGetValue(name, out var text) ? long.Parse(text, CultureInfo.InvariantCulture) : 0;
    }
}
