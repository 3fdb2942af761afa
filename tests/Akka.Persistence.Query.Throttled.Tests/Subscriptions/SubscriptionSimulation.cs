using Akka.Persistence.Query.Throttled.Running;
using Akka.Persistence.Query.Throttled.Subscriptions;
using Akka.Streams.Supervision;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Tests.Subscriptions;

/// <summary>
/// One subscription under random calls in a random order: requests, cancels, the death of the receiver, the shutdown, answers of the feed. The calls come
/// between the steps of the subscription, and within them: while it decodes, demands or tells. Every message is checked when it is told.
/// </summary>
internal sealed class SubscriptionSimulation
{
    private readonly Random _random;
    private readonly SimulatedQuery _query;
    private readonly ManualScheduler _scheduler = new();
    private readonly RunningQueries _running = new();
    private readonly List<string> _story = [];
    private readonly List<string> _got = [];
    private readonly List<object> _watches = [];
    private readonly QuerySubscription<JournalEvent, string> _subscription;
    private decimal _requested;
    private string? _end;
    private bool _isCancelled;
    private bool _isShuttingDown;
    private bool _isDecoding;

    internal SubscriptionSimulation(int seed)
    {
        _random = new(seed);
        _query = new(_random);
        _query.Decoding = Decoding;
        _query.Demanded = () => Assert.True(_got.Count < _requested, "The query is demanded although no item is.");
        var demand = Demand(least: 0);
        _requested = demand;
        var journal = new JournalSubscriptions(_running, () => new RecordingRef(_watches.Add), _scheduler);
        _subscription = new QuerySubscription<JournalEvent, string>(
            new(journal, new RecordingRef(Told), demand, static (_, items) => items, Deciders.StoppingDecider), _query.Open, _query, _query.IsLive);
    }

    internal void Run()
    {
        if (_random.Next(10) == 0)
            ShutDown();
        _subscription.Start();
        for (var i = _random.Next(60); i > 0; i--)
            Act();
        if (_random.Next(3) == 0)
        {
            Cancel();
            Drain();
            CheckEnded();
            return;
        }
        Drain();
        if (_query.EndsWithLastItem && _query.Items.SequenceEqual(_got))
            Assert.True(_isCancelled || _end is not null, "The end waits for a demand.");
        // Nothing is forgotten: with demand enough, everything comes.
        Request(100);
        Drain();
        if (!_isCancelled && !(_isShuttingDown && _query.IsLive))
            Assert.Equal(_query.Items, _got);
        if (_query.IsLive && !_isShuttingDown && !_isCancelled)
        {
            Assert.Null(_end);
            Assert.True(_query.IsDemanding, "A live query with demand does not wait for events.");
            ShutDown();
            Drain();
        }
        CheckEnded();
    }

    public override string ToString() => string.Join(Environment.NewLine, _story);

    private void Act()
    {
        switch (_random.Next(24))
        {
            case < 5:
                Request(Demand(least: 1));
                break;
            case 5 when _random.Next(4) == 0:
                Cancel();
                break;
            case 6 when _random.Next(4) == 0:
                ShutDown();
                break;
            case < 10:
                _story.Add("reclaim or late end");
                _query.Disturb();
                break;
            case < 15:
                _story.Add("answer");
                _query.Answer();
                break;
            default:
                if (!_isDecoding)
                    _scheduler.Step(_random);
                break;
        }
    }

    private long Demand(int least) => _random.Next(12) switch
    {
        0 => long.MaxValue,
        1 => long.MaxValue - 1,
        _ => _random.Next(least, 5),
    };

    private void Request(long count)
    {
        _story.Add($"request {count}");
        _requested += count;
        _subscription.Request(count);
    }

    // The receiver's death is the same call, by the watcher.
    private void Cancel()
    {
        _story.Add("cancel");
        _subscription.Cancel();
        _isCancelled = true;
    }

    private void ShutDown()
    {
        _story.Add("shutdown");
        _isShuttingDown = true;
        _ = _running.CompleteLiveAsync();
    }

    private void Decoding()
    {
        Assert.False(_isDecoding, "Two steps overlap.");
        _isDecoding = true;
        while (_random.Next(6) == 0)
            Act();
        _isDecoding = false;
    }

    private void Told(object message)
    {
        _story.Add($"told {message}");
        Assert.Null(_end);
        Assert.False(_isCancelled, "A message was told after the cancel.");
        if (message is List<string> items)
        {
            Assert.NotEmpty(items);
            _got.AddRange(items);
            Assert.True(_got.Count <= _requested, "More items were delivered than requested.");
            Assert.Equal(_query.Items.Take(_got.Count), _got);
        }
        else
        {
            _end = message.GetType().Name;
            if (_query.Fails || !(_isShuttingDown && _query.IsLive))
                Assert.Equal(_query.Items, _got);
            Assert.Equal(_query.Fails ? nameof(SubscriptionFailed) : nameof(SubscriptionCompleted), _end);
        }
        while (_random.Next(4) == 0)
            Act();
    }

    private void Drain()
    {
        for (var left = true; left;)
        {
            while (_scheduler.Step(_random))
            {
            }
            _query.Answer();
            left = _scheduler.Count > 0;
        }
        // A query that ends after its last page says so in the end.
        _query.Disturb();
        while (_scheduler.Count > 0 || _query.IsDemanding)
        {
            if (!_scheduler.Step(_random))
                break;
            _query.Answer();
        }
    }

    private void CheckEnded()
    {
        Assert.True(_isCancelled || _end is not null, "The end was not told.");
        Assert.True(_query.IsClosed, "The feed is not closed.");
        Assert.True(_running.EndedAsync().IsCompletedSuccessfully, "The query still counts as running.");
        Assert.Equal([typeof(WatchReceiver), typeof(UnwatchReceiver)], _watches.Select(each => each.GetType()));
    }
}
