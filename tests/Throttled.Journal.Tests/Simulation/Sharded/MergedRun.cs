using Throttled.Journal.Rows;

namespace Throttled.Simulation.Sharded;

/// <summary>Runs of one query over all shards. Each run begins at the position text where the run before ended.</summary>
internal sealed class MergedRun(ShardMap map, IReadOnlyList<SimulatedShard> shards, EventFilter filter) : IDisposable
{
    private readonly HashSet<(int Shard, long Ordering)> _got = [];
    private PolledReader<JournalEvent>? _reader;
    private List<(int Shard, ScriptedRow Row)> _atStart = [];
    private bool _isLive;
    private bool _isCancelled;

    internal EventFilter Filter => filter;

    internal ShardedPosition Position { get; private set; } = ShardedPosition.At(map);

    internal bool IsPaused { get; set; }

    internal bool IsOpen => _reader is { HasEnded: false };

    /// <param name="query">Opens the query from a position.</param>
    internal void Open(Func<ShardedPosition, IAsyncEnumerable<JournalEvent>> query, bool isLive)
    {
        Position = ShardedPosition.Parse(Position.ToString());
        (_isLive, _isCancelled) = (isLive, false);
        _atStart = [.. OfQuery().Where(each => each.Row.DeletedAt is null)];
        _reader = new((Journal.Queries.JournalQuery<JournalEvent>)query(Position));
    }

    internal bool Step()
    {
        if (_reader is not { } reader)
            return false;
        var had = reader.Items.Count;
        var any = reader.Step();
        if (reader.Items.Count > had)
            CheckLast(reader.Items[^1]);
        Assert.True(reader.Failure is null || (_isCancelled && reader.Failure is OperationCanceledException), $"It failed: {reader.Failure}");
        if (reader.IsCompleted)
            Assert.False(_isLive, "A live query ended.");
        return any;
    }

    internal void Cancel()
    {
        _isCancelled = true;
        _reader?.Cancel();
    }

    public void Dispose() => _reader?.Dispose();

    /// <summary>Whether it has got all events of the shards that are up, and has ended if it must end.</summary>
    /// <param name="down">The shard that is down; null for none.</param>
    internal bool IsSatisfied(int? down) => _reader is null || _reader.Failure is not null || _reader.IsClosed || (MissingOf(down) is null
        && (_isLive || down is not null || _reader.IsCompleted));

    public override string ToString() =>
        $"{filter} live {_isLive} paused {IsPaused} cancelled {_isCancelled} at {Position}, waiting {_reader?.IsWaiting}, completed {_reader?.IsCompleted}, "
        + $"failure {_reader?.Failure?.Message}, missing {MissingOf(null)?.Ordering}";

    private void CheckLast(JournalEvent last)
    {
        var shard = map.ShardOf(last.PersistenceId);
        var row = shards[shard].Writers.RowOf(last);
        shards[shard].Writers.CheckPayload(row, last);
        Assert.True(filter.Matches(JournalSlices.Of(row.PersistenceId), row.Tags), "An event came that does not match the query.");
        Assert.True(last.Ordering > Position[shard], "A shard's events came twice or out of order.");
        Assert.True(shards[shard].World.Journal.LowestOpen() is not { } open || open > last.Ordering, "An event came before one that may still be committed.");
        var next = Position.After(last);
        Assert.Equal(1, next.CompareWith(Position));
        Position = next;
        _got.Add((shard, last.Ordering));
        Assert.DoesNotContain(
            OfQuery().Where(each => each.Shard == shard && each.Row.Ordering <= last.Ordering),
            each => each.Row.DeletedAt is null && !shards[shard].Writers.IsSkipped(each.Row) && !_got.Contains((shard, each.Row.Ordering)));
    }

    private ScriptedRow? MissingOf(int? down) => (_isLive ? OfQuery() : _atStart).FirstOrDefault(each =>
        each.Shard != down && each.Row.DeletedAt is null && !shards[each.Shard].Writers.IsSkipped(each.Row) && !_got.Contains((each.Shard, each.Row.Ordering))).Row;

    private IEnumerable<(int Shard, ScriptedRow Row)> OfQuery() =>
        from shard in Enumerable.Range(0, shards.Count)
        from row in shards[shard].Writers.Committed
        where filter.Matches(JournalSlices.Of(row.PersistenceId), row.Tags)
        select (shard, row);
}
