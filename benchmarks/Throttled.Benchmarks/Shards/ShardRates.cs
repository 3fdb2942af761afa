using CrushTest.Settings;

namespace Throttled.Benchmarks.Shards;

/// <summary>Measures how the speed of a journal grows with its servers, and the cost of dividing it.</summary>
internal static class ShardRates
{
    private const double LeastShareOfLinear = 0.85;
    private const int UpTo = 4;
    private const double MostCost = 1.15;

    // The rounds are short, so other work on the machine affects each of them.
    private const int CostRounds = 3;

    /// <returns>The exit code: 1 if a target is missed.</returns>
    internal static async Task<int> RunAsync(string[] size)
    {
        var given = Figures.Arguments(size, ("seconds", 5), ("streams", 100_000), ("rounds", 3));
        var (seconds, streams, rounds) = (given[0], given[1], given[2]);
        LiveQueries.RequirePostgreSql();
        var readers = Math.Max(1, streams / 20);
        var scaling = await new ShardScaling(seconds, readers, rounds).RunAsync();
        var costs = await new CrushCost(streams, CostRounds * rounds).RunAsync();
        Results.Write("shards.md", "A journal on several servers", Text(seconds, readers, streams, rounds), [.. Table(scaling), "", .. Table(costs)]);
        string[] missed = [.. Missed(scaling, costs)];
        foreach (var bar in missed)
            Console.Error.WriteLine($"missed: {bar}");
        return missed.Length == 0 ? 0 : 1;
    }

    private static string Text(int seconds, int readers, int streams, int rounds) =>
        $"1, 2, 4 and 8 PostgreSQL servers on this machine as one journal, {rounds} rounds of each in turn, medians. The servers have fsync off and shared_buffers of 64 MB.\n\n"
        + "Writes: the limit must be the servers' latency, not this machine. So each commit takes at least 5 ms: a deferred constraint trigger on the journal table\n"
        + $"sleeps once per transaction. {ShardWrites.Clients} clients, for any number of servers, append one event after the other, each in its own transaction and to the client's\n"
        + $"own ids, over {AppenderPools.Connections} connections to each server; {seconds} s per round. Of linear: the rate divided by the rate of one server and by the number of servers.\n\n"
        + $"Reads: one query for each of {readers:N0} ids with {ShardReads.EventsOfEach} events each, all at once, without the trigger's sleep: current queries, and live queries to the\n"
        + "last event. Client and servers share the processors of one machine, so reads cannot grow with the servers here.\n\n"
        + "CPU is microseconds of processor time per event: of this process, and of all processes of the servers (/proc/<pid>/stat).\n\n"
        + $"Crush: {streams:N0} live queries by persistence id on 10 events each, in turn on four databases and on one database without shards, without the trigger\n"
        + $"and with open connections; 100 permits on one database, 25 on each of four; {CostRounds * rounds} rounds of each. "
        + "`./build.sh bench shards`";

    private static IEnumerable<string> Table(List<ShardFigures> figures)
    {
        yield return "| servers | writes/s | slowest - fastest round | of linear | CPU a write, process + servers | reads/s, current | CPU | reads/s, live | CPU | "
            + "of one server, current / live | permits |";
        yield return "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|";
        var one = figures[0];
        foreach (var each in figures)
        {
            yield return $"| {each.Shards} | {each.Writes.PerSecond:N0} | {each.Spread.Least:N0} - {each.Spread.Most:N0} | {OfLinear(each, one):N2} | {Cpu(each.Writes)} | "
                + $"{each.Current.PerSecond:N0} | {Cpu(each.Current)} | {each.Live.PerSecond:N0} | {Cpu(each.Live)} | "
                + $"{each.Current.PerSecond / one.Current.PerSecond:N2} / {each.Live.PerSecond / one.Live.PerSecond:N2} | "
                + $"{each.Permits.Sum()} ({string.Join(" + ", each.Permits)}) |";
        }
    }

    private static IEnumerable<string> Table(List<CrushCostFigures> costs)
    {
        yield return "| crush on | CPU an event on one, process + server | on four, process + servers | ratio of the process | ratio of all |";
        yield return "|---|---:|---:|---:|---:|";
        foreach (var each in costs)
            yield return $"| {each.Database} | {each.One.Own:N2} + {each.One.Servers:N2} | {each.Four.Own:N2} + {each.Four.Servers:N2} | {each.OwnRatio:N2} | {each.Ratio:N2} |";
    }

    private static IEnumerable<string> Missed(List<ShardFigures> figures, List<CrushCostFigures> costs)
    {
        foreach (var each in figures.Where(each => each.Shards <= UpTo && OfLinear(each, figures[0]) < LeastShareOfLinear))
            yield return $"writes on {each.Shards} servers are {OfLinear(each, figures[0]):N2} of linear; it must be at least {LeastShareOfLinear}.";
        foreach (var each in costs.Where(each => each.Ratio > MostCost))
            yield return $"an event of the crush on {each.Database} costs {each.Ratio:N2} × on four databases, process and servers together; it must be at most {MostCost} ×.";
    }

    private static double OfLinear(ShardFigures each, ShardFigures one) => each.Writes.PerSecond / (each.Shards * one.Writes.PerSecond);

    private static string Cpu(ShardRate rate) => $"{rate.Cpu:N1} + {rate.ServersCpu:N1}";
}
