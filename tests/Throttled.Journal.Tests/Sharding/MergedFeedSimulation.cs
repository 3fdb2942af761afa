using System.Globalization;

namespace Throttled.Journal.Tests.Sharding;

/// <summary>Shards deliver, complete, fail and discard pages; a reader reads, pauses and leaves. All is drawn from one seed.</summary>
internal sealed class MergedFeedSimulation
{
    private readonly Random _random;
    private readonly string[][] _items;
    private readonly ScriptedFeed[] _shards;
    private readonly ScriptedReader _reader;
    private readonly int[] _waitsSince;
    private readonly int[] _givenAt;
    private readonly int[] _next;
    private readonly List<string> _trace = [];
    private readonly int _steps;
    private readonly bool _mayFail;
    private readonly bool _mayLeave;
    private Exception? _failure;
    private bool _hasLeft;
    private int _now;
    private int _checked;

    internal MergedFeedSimulation(int seed)
    {
        _random = new(seed);
        _steps = _random.Next(20, 300);
        _mayFail = _random.Next(5) == 0;
        _mayLeave = _random.Next(5) == 0;
        _items = [.. Enumerable.Range(0, _random.Next(1, 6)).Select(Items)];
        _shards = [.. _items.Select(items => new ScriptedFeed(items, _random.Next(4) == 0) { MarksItsEnd = _random.Next(2) == 0 })];
        (_waitsSince, _givenAt, _next) = (new int[_items.Length], new int[_items.Length], new int[_items.Length]);
        _reader = new(_shards) { Given = Given };
    }

    internal void Run()
    {
        for (var i = 0; i < _steps; i++)
            Step();
        CalmDown();
        Check();
        CheckEnd();
    }

    public override string ToString() => string.Join(Environment.NewLine, _trace);

    private void Step()
    {
        _now++;
        var shard = _random.Next(_shards.Length);
        switch (_random.Next(10))
        {
            case < 4:
                Read();
                break;
            case < 8:
                Bring(shard);
                break;
            case 8 when _shards[shard].HasPage:
                Note($"{shard} forgets");
                _shards[shard].Forget();
                break;
            case 9 when _mayFail && _shards[shard].IsDemanding && _random.Next(10) == 0:
                Fail(shard);
                break;
            case 9 when _mayLeave && _random.Next(20) == 0:
                Leave();
                break;
        }
        Check();
    }

    private void Read()
    {
        if (_reader.IsWaiting || _reader.HasEnded || _reader.IsAtEnd)
            return;
        Note("reads");
        _reader.Step();
    }

    private void Bring(int shard)
    {
        if (_shards[shard].CanBring)
        {
            var count = _random.Next(1, 5);
            Note($"{shard} brings {count}");
            _waitsSince[shard] = _now;
            _shards[shard].Bring(count);
        }
        else if (_shards[shard].CanComplete)
        {
            Note($"{shard} completes");
            _shards[shard].Complete();
        }
    }

    // Only the first of several failures is reported.
    private void Fail(int shard)
    {
        Note($"{shard} fails");
        var failure = new InvalidOperationException();
        if (!_hasLeft)
            _failure ??= failure;
        _shards[shard].Fail(failure);
    }

    private void Leave()
    {
        if (_reader.HasEnded)
            return;
        Note("leaves");
        var isNew = _failure is null && !_hasLeft;
        var failure = _random.Next(2) == 0 ? new OperationCanceledException() : null;
        _hasLeft = true;
        _reader.Feed.Close(failure);
        if (isNew)
            _failure = failure;
    }

    // A page is delivered while the reader reads or while a shard delivers. All of them pass here.
    private void Given(string item)
    {
        var shard = ShardOf(item);
        Assert.False(_hasLeft || _failure is not null, "A page after the end.");
        Assert.True(_waitsSince[shard] > 0, "A page that no shard delivered.");
        for (var other = 0; other < _shards.Length; other++)
            Assert.False(
                other != shard && _waitsSince[other] > 0 && _waitsSince[other] < _givenAt[shard],
                $"Shard {shard} has a second turn, and {other} has waited since before its first.");
        _waitsSince[shard] = 0;
        _givenAt[shard] = _now;
    }

    private void Check()
    {
        for (; _checked < _reader.Items.Count; _checked++)
        {
            var item = _reader.Items[_checked];
            var shard = ShardOf(item);
            Assert.Equal(_items[shard][_next[shard]++], item);
        }
        for (var shard = 0; shard < _shards.Length; shard++)
            Assert.False(_waitsSince[shard] > 0 && _shards[shard].IsDemanding && !_hasLeft && _failure is null, "A shard with a page that waits is asked for another.");
        Assert.Equal(_failure is not null && _reader.HasEnded ? 1 : 0, _reader.Failures.Count);
        Assert.False(_reader.IsWaiting && (_hasLeft || _failure is not null || _waitsSince.Any(since => since > 0)), "A demand is not answered.");
        if (_hasLeft || _failure is not null)
            Assert.All(_shards, shard => Assert.True(shard.IsClosed));
    }

    // From now on no page is discarded, no shard fails and no reader leaves.
    private void CalmDown()
    {
        for (var wasIdle = false; !wasIdle;)
        {
            _now++;
            wasIdle = _reader.IsWaiting || _reader.HasEnded || _reader.IsAtEnd;
            Read();
            for (var shard = 0; shard < _shards.Length; shard++)
            {
                wasIdle &= !_shards[shard].CanBring && !_shards[shard].CanComplete;
                Bring(shard);
            }
            Check();
        }
    }

    private void CheckEnd()
    {
        if (_hasLeft || _failure is not null)
        {
            // A reader that leaves in the middle of the last page reads that page to its end, and requests no other.
            Assert.True(_reader.HasEnded || _reader.IsAtEnd);
            Assert.Same(_reader.HasEnded ? _failure : null, _reader.Failures.SingleOrDefault());
            return;
        }
        Assert.Equal(_items.SelectMany(items => items).Order(), _reader.Items.Order());
        var isLive = !_shards.All(shard => shard.IsAtEnd && !shard.IsDemanding);
        Assert.Equal(isLive, _reader is { HasEnded: false, IsAtEnd: false });
        Assert.Equal(isLive, _reader.IsWaiting);
    }

    private void Note(string what) => _trace.Add(FormattableString.Invariant($"{_now}: {what}"));

    private string[] Items(int shard) =>
        [.. Enumerable.Range(0, _random.Next(30)).Select(i => FormattableString.Invariant($"{shard}/{i}"))];

    private static int ShardOf(string item) => int.Parse(item.AsSpan(0, item.IndexOf('/', StringComparison.Ordinal)), CultureInfo.InvariantCulture);
}
