using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Akka.Streams;
using Akka.Streams.Dsl;
using Akka.Streams.Stage;
using Throttled.Journal.Sqlite;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Faults;

/// <summary>Runs alone, because it measures the memory of the whole process.</summary>
[Collection(AloneCollection.Name)]
[Trait("Category", "Long")]
public sealed class MemoryTests(ITestOutputHelper output)
{
    private const int Streams = 5_000;
    private const int Measurements = 3;
    private const int Most = 2_048;
    private const int Agreement = 1 << 15;

    // Two measurements of the same settings differ by up to a hundred bytes a stream.
    private const int Noise = 256;

    // The first five hundred streams pay for what is allocated once.
    private readonly string[] _ids = TestEvents.Ids("id", Streams + 500);

    [Fact]
    public async Task An_idle_live_stream_costs_little_more_than_an_empty_one()
    {
        using var file = new JournalFile();
        await using var appender = SqliteJournal.OpenAppender(file.ConnectionString);
        await appender.CreateAsync();
        await appender.AppendAsync(EveryQuery.NewEvents());
        var (empty, _) = await BytesEachAsync(file.Settings(), null);
        var (idle, following) = await BytesEachAsync(file.Settings(), (journal, id) => journal.EventsByPersistenceId(id, 0, long.MaxValue));
        var (tagged, tagsFollowing) = await BytesEachAsync(file.Settings(), (journal, id) => journal.EventsByTag(id, Offset.NoOffset()));

        output.WriteLine($"An empty stream keeps {empty:0} bytes, one by persistence id {idle - empty:0} more, one by tag {tagged - empty:0} more.");
        Assert.Equal((_ids.Length, _ids.Length), (following, tagsFollowing));
        Assert.InRange(idle - empty, 1, Most);
        Assert.InRange(tagged - empty, 1, Most);
    }

    [Fact]
    public async Task An_idle_live_stream_costs_no_more_if_the_journal_has_shards()
    {
        using var file = new JournalFile();
        using var other = new JournalFile();
        string[] shards = [file.ConnectionString, other.ConnectionString];
        await using var appender = ShardedJournal.OpenAppender(shards, SqliteJournal.OpenAppender);
        await appender.CreateAsync();
        await appender.AppendAsync(EveryQuery.NewEvents());
        using var undivided = new JournalFile();
        await using var single = SqliteJournal.OpenAppender(undivided.ConnectionString);
        await single.CreateAsync();
        var settings = $"shards = [\"{shards[0]}\", \"{shards[1]}\"]\nprovider-name = SQLite";
        var (alone, _) = await BytesEachAsync(undivided.Settings(), (journal, id) => journal.EventsByPersistenceId(id, 0, long.MaxValue));
        var (idle, following) = await BytesEachAsync(settings, (journal, id) => journal.EventsByPersistenceId(id, 0, long.MaxValue));

        output.WriteLine($"A stream by persistence id keeps {alone:0} bytes, and {idle:0} if the journal has two shards.");
        Assert.Equal(_ids.Length, following);
        Assert.InRange(idle - alone, -Most, Noise);
    }

    // Take the median of some measurements, because the process allocates and frees buffers of several megabytes.
    private async Task<(double Bytes, long Following)> BytesEachAsync(
        string settings, Func<ThrottledReadJournal, string, Source<EventEnvelope, NotUsed>>? query)
    {
        List<(double Bytes, long Following)> measured = [];
        for (var i = 0; i < Measurements; i++)
            measured.Add(await MeasureAsync(settings, query));
        return measured.OrderBy(each => each.Bytes).ElementAt(Measurements / 2);
    }

    private async Task<(double Bytes, long Following)> MeasureAsync(
        string settings, Func<ThrottledReadJournal, string, Source<EventEnvelope, NotUsed>>? query)
    {
        await using var side = ReadSide.Of(settings);
        var empty = new Nothing();
        var waiting = query is null ? new Func<long>(() => empty.Pulled) : () => side.Meter.Following;
        query ??= (_, _) => Source.FromGraph(new Nothing(empty));
        await RunAsync(side, query, _ids[Streams..], waiting);
        var before = await InUseAsync();
        await RunAsync(side, query, _ids[..Streams], waiting);
        var after = await InUseAsync();
        return ((after - before) / (double)Streams, waiting());
    }

    // Measure until two results agree, because memory of earlier tests is freed with a delay.
    private static async Task<long> InUseAsync()
    {
        var inUse = long.MaxValue;
        await Wait.UntilAsync(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                GC.Collect();
                var before = inUse;
                inUse = GC.GetTotalMemory(forceFullCollection: false);
                return Math.Abs(inUse - before) < Agreement;
            },
            "memory that stays as it is");
        return inUse;
    }

    private static async Task RunAsync(
        ReadSide side, Func<ThrottledReadJournal, string, Source<EventEnvelope, NotUsed>> query, string[] ids, Func<long> waiting)
    {
        var expected = waiting() + ids.Length;
        foreach (var id in ids)
            query(side.Journal, id).To(Sink.Ignore<EventEnvelope>()).Run(side.Materializer);
        await Wait.UntilAsync(() => waiting() == expected, () => $"{expected} streams that wait; {waiting()} do");
    }

    // A source without elements and without an end. Each stream has its own stage, like queries for different ids.
    private sealed class Nothing(Nothing? counter = null) : GraphStage<SourceShape<EventEnvelope>>
    {
        private readonly Outlet<EventEnvelope> _out = new("nothing.out");
        private int _pulled;

        internal int Pulled => Volatile.Read(ref _pulled);

        public override SourceShape<EventEnvelope> Shape => new(_out);

        protected override GraphStageLogic CreateLogic(Attributes inheritedAttributes) => new Logic(Shape, counter!);

        private sealed class Logic : OutGraphStageLogic
        {
            private readonly Nothing _counter;

            internal Logic(SourceShape<EventEnvelope> shape, Nothing counter)
                : base(shape)
            {
                _counter = counter;
                SetHandler(shape.Outlet, this);
            }

            public override void OnPull() => Interlocked.Increment(ref _counter._pulled);
        }
    }
}
