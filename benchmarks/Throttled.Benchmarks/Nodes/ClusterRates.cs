using System.Diagnostics;
using CrushTest.Databases;
using Throttled.Benchmarks.Writing;
using Throttled.Testing;

namespace Throttled.Benchmarks.Nodes;

/// <summary>How the events reach the entities.</summary>
internal enum Way
{
    /// <summary>One feed reads for the whole cluster.</summary>
    Feed,

    /// <summary>Each node reads all events.</summary>
    QueryPerNode,

    /// <summary>Each entity has a live query by its persistence id.</summary>
    QueryPerEntity,
}

/// <summary>
/// Measures sharded entities on one to three nodes that get their events from the feed, from one query of each node, and from one query of each entity;
/// then the cost of idle nodes.
/// </summary>
internal sealed class ClusterRates(DatabaseWork database, int entities, int perEntity, int seconds)
{
    private const int PerSecond = 1_000;
    private const int WakeAtOnce = 500;

    internal static async Task RunAsync(string[] arguments)
    {
        var given = Figures.Arguments(arguments, ("entities", 100_000), ("events", 5), ("seconds", 20), ("idle", 10_000));
        var (entities, perEntity, seconds, idle) = (given[0], given[1], given[2], given[3]);
        List<string> table =
        [
            "| nodes | events come from | replay: seconds | events/s | statements | rows read, for each event | others | server's CPU, s | following: statements/s | rows read, for each event | server's CPU, s/s |",
            "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ];
        await using (var database = await DatabaseWork.StartAsync())
        {
            var rates = new ClusterRates(database, entities, perEntity, seconds);
            for (var nodes = 1; nodes <= 3; nodes++)
            {
                foreach (var way in Enum.GetValues<Way>())
                    Add(table, await rates.RowAsync(nodes, way));
            }
        }
        table.Add("");
        await IdleNodes.RunAsync(idle, row => Add(table, row));
        Results.Write(
            "cluster.md",
            "Nodes of a cluster",
            $"{entities:N0} sharded entities get {perEntity} events each. Then {PerSecond:N0} events per second are written for {seconds} s. Feed: one feed reads for all nodes, and a\n"
            + "projection of 12 lanes sends its events to the entities, which acknowledge them. Query of each node: the same projection, on each node's own reader.\n"
            + "Query of each entity: a live query by persistence id in each entity. Statements and rows are those of the readers (pg_stat_statements);\n"
            + "others are those of the projection on its tables.\n"
            + $"Idle: three nodes, nothing is written; {idle:N0} live queries on each node, or {3 * idle:N0} entities. Nodes are actor systems of one process, on loopback,\n"
            + "and share the processors with the server. `./build.sh bench cluster`",
            table);
    }

    private static void Add(List<string> table, string row)
    {
        table.Add(row);
        Console.WriteLine(row);
    }

    private async Task<string> RowAsync(int count, Way way)
    {
        Console.WriteLine($"{count} nodes, {way} …");
        var arrivals = new ArrivedEvents();
        var ids = CrushEvents.Ids(entities);
        var connection = database.Server.CreateDatabase();
        var journal = await OwnJournal.CreateAsync(connection, new(), Enumerable.Range(1, perEntity).SelectMany(number => ids.Select(id => Event(id, number))));
        await journal.RunAsync($"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {PostgreSqlServer.Reader}; GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO {PostgreSqlServer.Reader}");
        var nodes = await ClusterNode.StartAsync(count, DatabaseWork.AsReader(connection), connection, way == Way.Feed, arrivals);
        try
        {
            await AskAllAsync(nodes[0], ids, id => new Wake(id));
            var replay = await MeasureAsync(() => ReplayAsync(nodes, way, ids, arrivals));
            var follow = await MeasureAsync(() => FollowAsync(journal, ids, arrivals));
            var (events, more) = ((double)entities * perEntity, (double)PerSecond * seconds);
            return FormattableString.Invariant(
                $"| {count} | {Named(way)} | {replay.Seconds:N1} | {events / replay.Seconds:N0} | {replay.Work.Statements:N0} | {replay.Work.Rows / events:N2} | {replay.Work.Others:N0} | {replay.Work.Cpu:N1} | {follow.Work.Statements / follow.Seconds:N1} | {follow.Work.Rows / more:N2} | {follow.Work.Cpu / follow.Seconds:N2} |");
        }
        finally
        {
            foreach (var node in nodes.Reverse())
                await node.DisposeAsync();
        }
    }

    private async Task ReplayAsync(IReadOnlyList<ClusterNode> nodes, Way way, string[] ids, ArrivedEvents arrivals)
    {
        if (way == Way.QueryPerEntity)
        {
            await AskAllAsync(nodes[0], ids, id => new ReadByYourself(id));
        }
        else
        {
            foreach (var node in nodes)
                node.Project(way == Way.Feed);
        }
        await arrivals.UntilAsync((long)entities * perEntity);
    }

    private async Task FollowAsync(OwnJournal journal, string[] ids, ArrivedEvents arrivals)
    {
        await using var writers = new SteadyWriters(journal);
        var events = Enumerable.Range(0, PerSecond * seconds).Select(place => Event(ids[place % ids.Length], perEntity + 1 + (place / ids.Length))).ToList();
        await writers.RunAsync(events, PerSecond);
        await arrivals.UntilAsync(((long)entities * perEntity) + events.Count);
    }

    private async Task<(double Seconds, Work Work)> MeasureAsync(Func<Task> work)
    {
        var (before, watch) = (await database.ReadAsync(), Stopwatch.StartNew());
        await work();
        return (watch.Elapsed.TotalSeconds, await database.ReadAsync() - before);
    }

    internal static async Task AskAllAsync(ClusterNode node, IReadOnlyList<string> ids, Func<string, EntityMessage> message)
    {
        foreach (var some in ids.Chunk(WakeAtOnce))
            await Task.WhenAll(some.Select(id => node.AskAsync(message(id))));
    }

    private static JournalEvent Event(string id, long number) =>
        new() { PersistenceId = id, SequenceNumber = number, SerializerId = 4, Manifest = "", Payload = new byte[200] };

    private static string Named(Way way) => way switch
    {
        Way.Feed => "feed",
        Way.QueryPerNode => "query of each node",
        _ => "query of each entity",
    };
}
