using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;

namespace Throttled.Benchmarks.Shards;

/// <summary>The cost of live queries, to their last event, on four databases and on one.</summary>
/// <param name="One">Microseconds of processor time per event on one database: of this process, of the server.</param>
/// <param name="Four">The same on four databases.</param>
internal sealed record CrushCostFigures(string Database, (double Own, double Servers) One, (double Own, double Servers) Four)
{
    internal double OwnRatio => Four.Own / One.Own;

    internal double Ratio => (Four.Own + Four.Servers) / (One.Own + One.Servers);
}

/// <summary>Runs the live queries of the crush test in this process, in turn on one database without shards and on four.</summary>
internal sealed class CrushCost(int streams, int rounds)
{
    private const int Shards = 4;
    private const int EventsOfEach = 10;

    // The sum of the permits is the same on four databases as on one.
    private const int Permits = 100;

    internal async Task<List<CrushCostFigures>> RunAsync()
    {
        List<CrushCostFigures> figures = [await MeasureAsync("sqlite", [], [])];
        using var servers = new ShardServers(Shards + 1, maxConnections: 3 * Permits);
        var (one, four) = (await servers.CreateAsync(1), await servers.CreateAsync(Shards));
        figures.Add(await MeasureAsync("postgres", one.Connections, four.Connections));
        return figures;
    }

    private async Task<CrushCostFigures> MeasureAsync(string database, string[] one, string[] four)
    {
        var plain = LiveQueries.Settings(database, streams, connection: null) with { Events = EventsOfEach };
        await using var single = await Side.OpenAsync(plain with { Connections = one, Permits = Permits });
        await using var divided = await Side.OpenAsync(plain with { Connections = four, Shards = Shards, Permits = Permits / Shards });
        for (var round = 0; round <= rounds; round++)
        {
            // The first round is a warm-up.
            await single.RunAsync(isCounted: round > 0);
            await divided.RunAsync(isCounted: round > 0);
            Console.WriteLine($"{database}, round {round} of {rounds}: {single.Last} on one, {divided.Last} on {Shards}");
        }
        return new(single.Name, single.Median, divided.Median);
    }

    // Connections are opened in the first round, which does not count, because they are not part of the cost of an event.
    private sealed class Side(CrushSettings settings, CrushJournal journal, string[] ids) : IAsyncDisposable
    {
        // SQLite has no server.
        private readonly ShardDatabases? _servers = settings.Connections.Count == 0 ? null : new([.. settings.Connections]);
        private readonly List<(double Own, double Servers)> _rounds = [];
        private readonly JournalReader _reader = Open(journal, new() { MaxConcurrentQueries = settings.Permits });

        internal string Name => journal.Name;

        internal (double Own, double Servers) Last { get; private set; }

        internal (double Own, double Servers) Median => (Figures.Median(_rounds.Select(round => round.Own)), Figures.Median(_rounds.Select(round => round.Servers)));

        internal static async Task<Side> OpenAsync(CrushSettings settings)
        {
            var (journal, ids) = (CrushJournal.Open(settings), CrushEvents.Ids(settings.Streams));
            await new Seeding(settings, journal).RunAsync(ids, CancellationToken.None);
            return new(settings, journal, ids);
        }

        internal async Task RunAsync(bool isCounted)
        {
            GC.Collect();
            var (servers, cpu) = (await CpuAsync(), RoundTime.ProcessorTime());
            var events = await Task.Run(() => ShardReads.ReadAsync(ids, settings.Events, id => _reader.EventsByPersistenceId(id)));
            var own = RoundTime.ProcessorTime() - cpu;
            if (events != settings.AllEvents)
                throw new InvalidOperationException($"{events:N0} events came; there are {settings.AllEvents:N0}.");
            Last = (own.TotalMicroseconds / events, (await CpuAsync() - servers) * 1e6 / events);
            if (isCounted)
                _rounds.Add(Last);
        }

        public ValueTask DisposeAsync() => _reader.DisposeAsync();

        // One database is read without shards.
        private static JournalReader Open(CrushJournal journal, JournalOptions options) =>
            journal.Databases is [var only] ? only.OpenReader(options) : journal.OpenReader(options);

        private Task<double> CpuAsync() => _servers is null ? Task.FromResult(0.0) : _servers.CpuAsync();
    }
}
