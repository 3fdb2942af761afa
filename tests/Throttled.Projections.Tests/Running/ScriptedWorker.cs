using System.Collections.Immutable;
using Throttled.Projections.Offsets;
using Throttled.Projections.Reads;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Running;

/// <summary>Lanes that the test moves. Fails if its caller does what the interface forbids.</summary>
internal sealed class ScriptedWorker(string version, ScriptedTables tables) : ILaneWorker
{
    // Tests read it while a projection runs on other threads.
    private ImmutableSortedDictionary<int, (SliceRange Slices, long Epoch, long At, LaneState State)> _lanes =
        ImmutableSortedDictionary<int, (SliceRange Slices, long Epoch, long At, LaneState State)>.Empty;
    private bool _isStopping;

    public Action? LaneEnded { get; set; }

    internal string Version => version;

    /// <summary>What a stop waits for; null for nothing.</summary>
    internal Func<CancellationToken, Task>? Slow { get; set; }

    internal bool IsDisposed { get; private set; }

    internal List<CommandRow> Commands { get; } = [];

    internal List<string> Calls { get; } = [];

    /// <summary>How each lane was last started.</summary>
    internal Dictionary<int, LaneRow> Started { get; } = [];

    internal int Ticks { get; private set; }

    /// <summary>The error that its lanes report; null for none.</summary>
    internal string? Error { get; set; }

    /// <summary>The offsets that its lanes report; 0 for a lane without an entry.</summary>
    internal Dictionary<int, long> Offsets { get; } = [];

    public IReadOnlyList<LaneReport> Reports =>
        [.. _lanes.Select(lane => new LaneReport(lane.Key, lane.Value.State, Error, 1) { Slices = lane.Value.Slices, Offset = Offsets.GetValueOrDefault(lane.Key) })];

    internal IEnumerable<int> Running => _lanes.Where(lane => lane.Value.State == LaneState.Running).Select(lane => lane.Key);

    public void Start(IReadOnlyList<LaneRow> lanes, long epoch)
    {
        AssertMayCall();
        Calls.Add($"start {string.Join(',', lanes.Select(lane => lane.Lane))} at {epoch}");
        foreach (var lane in lanes)
        {
            Assert.True(!_lanes.TryGetValue(lane.Lane, out var there) || there.State == LaneState.Failed, $"Lane {lane.Lane} was started twice.");
            _lanes = _lanes.SetItem(lane.Lane, (lane.Slices, epoch, -1, LaneState.Running));
            Started[lane.Lane] = lane;
        }
    }

    public async Task StopAsync(IReadOnlyCollection<int> lanes, CancellationToken abort)
    {
        AssertMayCall();
        Calls.Add($"stop {string.Join(',', lanes)}");
        _isStopping = true;
        if (Slow is not null)
            await Slow(abort).ConfigureAwait(false);
        foreach (var lane in lanes)
            _lanes = _lanes.Remove(lane);
        _isStopping = false;
    }

    public void Execute(IReadOnlyList<CommandRow> waiting)
    {
        AssertMayCall();
        if (_lanes.Count > 0)
            Commands.AddRange(waiting.Except(Commands));
    }

    public void Tick()
    {
        AssertMayCall();
        Ticks++;
    }

    public ValueTask DisposeAsync()
    {
        Assert.False(_isStopping);
        Assert.Empty(_lanes);
        IsDisposed = true;
        return default;
    }

    /// <summary>A lane commits a batch of one event, based on the offsets that it has read.</summary>
    /// <returns>Whether it was committed; if not, the lane was fenced.</returns>
    internal bool Commit(int lane)
    {
        var (slices, epoch, at, state) = _lanes[lane];
        try
        {
            var from = at >= 0 ? at : tables.ReadLane(version, slices).Offsets[0].Ordering;
            var to = Math.Max(from, tables.ReadLane(version, slices).Offsets.Max(row => row.Ordering)) + 1;
            foreach (var row in at >= 0 ? [] : tables.ReadLane(version, slices).Offsets)
                tables.Move(version, epoch, row.Slices, row.Ordering, to);
            if (at >= 0)
                tables.Move(version, epoch, slices, from, to);
            _lanes = _lanes.SetItem(lane, (slices, epoch, to, state));
            return true;
        }
        catch (FencedException)
        {
            _lanes = _lanes.Remove(lane);
            LaneEnded?.Invoke();
            return false;
        }
    }

    internal void Fail(int lane)
    {
        _lanes = _lanes.SetItem(lane, _lanes[lane] with { State = LaneState.Failed });
        LaneEnded?.Invoke();
    }

    private void AssertMayCall()
    {
        Assert.False(_isStopping, "Calls overlap.");
        Assert.False(IsDisposed, "The worker is disposed.");
    }
}
