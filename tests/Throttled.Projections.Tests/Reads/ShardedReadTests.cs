using Throttled.Projections.Databases;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Reads;
using Throttled.Projections.Tests.Lanes;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Reads;

/// <summary>Four lanes over two shards, two lanes each.</summary>
public sealed class ShardedReadTests : IAsyncDisposable
{
    private const string Second = "Shard 1 (slices 512-1023): ";

    private readonly FakeClock _clock = new();
    private readonly RecordedLog _log = new();
    private readonly ProjectionMetrics _metrics = new("balances");
    private readonly ScriptedLaneStore _store = new();
    private readonly StreamedJournal[] _journals = [new(), new()];
    private readonly ProjectionAvailability _availability;
    private readonly LaneWorker _worker;
    private long? _last;

    public ShardedReadTests()
    {
        // Each journal has its own orderings, and also ids of the other shard's slices, which it must not deliver.
        _journals[0].Add(40);
        _journals[1].Add(40, from: 1_001);
        ProjectionOptions options = new() { Name = "balances", Lanes = 4, Decoder = new Poison().Decode, TimeProvider = _clock };
        _availability = ProjectionAvailability.Of(options, "'app'", _log, "Shard 0 (slices 0-511): ", Second);
        _worker = new([Reads(0, new(0, 511)), Reads(1, new(512, 1023))], new("balances", new ScriptedBatchHandler(_store, new()), options, _store, new SqliteReadModelDialect())
        {
            Telemetry = new LaneTelemetry("balances", _log, _metrics.Of("balances"), _availability, options.TimeProvider),
        });
    }

    [Fact]
    public async Task Each_lane_gets_the_events_of_its_own_shard()
    {
        Start();
        await UntilAsync(() => Handled(0) == Own(0) && Handled(1) == Own(1), "all are handled");
        Assert.True(Own(0) > 0 && Own(1) > 0);
        Assert.Equal((1, 1), (_journals[0].Opened, _journals[1].Opened));
        // A lane whose last event is not the last of its shard moves on to the end of the shard when it is idle.
        await UntilAsync(
            () => _store.Locked(() => _store.Offsets.Select(row => row.Ordering).Distinct().ToList()) is [40, 1_040], "all lanes are at the end of their shards");
    }

    [Fact]
    public async Task An_unavailable_shard_stops_its_own_lanes_only()
    {
        _journals[1].Fault = new JournalException("refused");
        Start();
        await UntilAsync(() => Handled(0) == Own(0) && States(2) is [LaneState.Retrying, LaneState.Retrying] && _log.TextsOf(108).Count > 0, "the first shard is handled");
        Assert.Equal([LaneState.Running, LaneState.Running], States(0));
        Assert.Equal((null, $"{Second}refused"), (_availability.Journal[0].Unavailable?.Reason, _availability.Journal[1].Unavailable?.Reason));
        Assert.Contains(Second, Assert.Single(_log.TextsOf(108)));
        _journals[0].Add(10, from: 41);
        await UntilAsync(() => Handled(0) == Own(0), "the first shard goes on");
        Assert.Equal(1, _journals[0].Opened);

        _journals[1].Fault = null;
        await UntilAsync(() => Handled(1) == Own(1) && States(2) is [LaneState.Running, LaneState.Running], "the second shard is handled");
        Assert.Contains(Second, Assert.Single(_log.TextsOf(109)));
        Assert.Empty(_store.Breaches);
    }

    [Fact]
    public async Task Only_lanes_that_are_ahead_of_their_own_shard_fail()
    {
        var lanes = _store.LayOut(4);
        _store.MoveElsewhere(lanes[2].Slices, 5_000);
        _last = 4_000;
        _worker.Start(lanes, _store.Epoch);
        await UntilAsync(() => Handled(0) == Own(0) && States(2) is [LaneState.Failed, LaneState.Failed], "the second shard's lanes fail");
        Assert.All(_worker.Reports.Skip(2), report => Assert.StartsWith($"{Second}The read model has handled the journal up to ordering 5000", report.Error, StringComparison.Ordinal));
        Assert.Equal([LaneState.Running, LaneState.Running], States(0));
        Assert.Equal(0, Handled(1));
    }

    public async ValueTask DisposeAsync()
    {
        await _worker.DisposeAsync();
        Assert.All(_journals, journal => Assert.Equal(0, journal.Open));
        _metrics.Dispose();
        _log.Dispose();
    }

    private void Start() => _worker.Start(_store.LayOut(4), _store.Epoch);

    private SourceShard Reads(int shard, SliceRange slices) => Make.Shard(_journals[shard].Read) with
    {
        Index = shard,
        Slices = slices,
        Prefix = shard == 0 ? "Shard 0 (slices 0-511): " : Second,
        LastIssued = _ => Task.FromResult(shard == 0 ? null : _last),
    };

    private int Own(int shard) => _journals[shard].Events.Count(stored => JournalSlices.Of(stored.PersistenceId) / 512 == shard);

    private int Handled(int shard) => _store.Locked(() => _store.Effects.Count(stored => stored.Ordering / 1_000 == shard));

    private LaneState[] States(int from) => [.. _worker.Reports.Skip(from).Take(2).Select(report => report.State)];

    private Task UntilAsync(Func<bool> condition, string what) => Wait.UntilAsync(
        () =>
        {
            _clock.Advance(TimeSpan.FromSeconds(1));
            _worker.Tick();
            return condition();
        },
        what);
}
