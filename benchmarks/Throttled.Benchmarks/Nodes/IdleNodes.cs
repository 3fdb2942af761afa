using System.Diagnostics;
using CrushTest.Databases;
using Throttled.Benchmarks.Writing;
using Throttled.Testing;

namespace Throttled.Benchmarks.Nodes;

/// <summary>Measures what three idle nodes cost the database and the processors.</summary>
internal static class IdleNodes
{
    private const int Nodes = 3;
    private const int Slices = 1024;

    // Long enough for a tail to poll at its longest interval.
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Watched = TimeSpan.FromSeconds(20);

    internal static async Task RunAsync(int each, Action<string> add)
    {
        add("| idle: three nodes with | statements/s | others/s | server's CPU, s/s | nodes' CPU, s/s |");
        add("|---|---:|---:|---:|---:|");
        add(await RowAsync($"{each:N0} live queries by persistence id on each", each, hasFeed: false, (node, number) => Follow(each, query => node.Own.EventsByPersistenceId(Id(number * each + query)))));
        add(await RowAsync($"{each:N0} live queries of a slice on each", each, hasFeed: false, (node, _) => Follow(each, query => node.Own.EventsBySlices(query % Slices, query % Slices))));
        add(await RowAsync($"{each:N0} live queries of a slice on each, from the feed", each, hasFeed: true, (node, _) => Follow(each, query => node.Fed.EventsBySlices(query % Slices, query % Slices))));
        add(await RowAsync($"{Nodes * each:N0} sharded entities, from a projection on each node's reader", each, hasFeed: false, (node, _) => Project(node, isFed: false)));
        add(await RowAsync($"{Nodes * each:N0} sharded entities, from a projection on the feed", each, hasFeed: true, (node, _) => Project(node, isFed: true)));
    }

    private static async Task<string> RowAsync(string name, int each, bool hasFeed, Func<ClusterNode, int, Task> start)
    {
        Console.WriteLine($"{name} …");
        await using var database = await DatabaseWork.StartAsync();
        var connection = database.Server.CreateDatabase();
        string[] ids = [.. Enumerable.Range(0, Nodes * each).Select(Id)];
        var journal = await OwnJournal.CreateAsync(connection, new(), ids.Select(id => new JournalEvent { PersistenceId = id, SequenceNumber = 1, Payload = new byte[200] }));
        await journal.RunAsync($"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {PostgreSqlServer.Reader}; GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO {PostgreSqlServer.Reader}");
        var arrivals = new ArrivedEvents();
        var nodes = await ClusterNode.StartAsync(Nodes, DatabaseWork.AsReader(connection), connection, hasFeed, arrivals);
        try
        {
            await ClusterRates.AskAllAsync(nodes[0], ids, id => new Wake(id));
            await Task.WhenAll(nodes.Select((node, number) => start(node, number)));
            using (var gauges = new QueryGauges())
                await gauges.UntilAllFollowAsync();
            await Task.Delay(Settling);
            using var process = Process.GetCurrentProcess();
            var (before, cpu, watch) = (await database.ReadAsync(), process.TotalProcessorTime, Stopwatch.StartNew());
            await Task.Delay(Watched);
            var (work, seconds) = (await database.ReadAsync() - before, watch.Elapsed.TotalSeconds);
            process.Refresh();
            return FormattableString.Invariant(
                $"| {name} | {work.Statements / seconds:N1} | {work.Others / seconds:N1} | {work.Cpu / seconds:N3} | {(process.TotalProcessorTime - cpu).TotalSeconds / seconds:N3} |");
        }
        finally
        {
            foreach (var node in nodes.Reverse())
                await node.DisposeAsync();
        }
    }

    // Each query gets at least its first event, or the end of what is there.
    private static Task Follow(int count, Func<int, IAsyncEnumerable<JournalEvent>> open)
    {
        for (var query = 0; query < count; query++)
            _ = ReadAsync(open(query));
        return Task.CompletedTask;
    }

    private static Task Project(ClusterNode node, bool isFed)
    {
        node.Project(isFed);
        return Task.CompletedTask;
    }

    private static async Task ReadAsync(IAsyncEnumerable<JournalEvent> events)
    {
        try
        {
            await foreach (var _ in events)
            {
            }
        }
        catch (ObjectDisposedException)
        {
            // The node has ended.
        }
    }

    private static string Id(int number) => FormattableString.Invariant($"entity-{number:D6}");
}
