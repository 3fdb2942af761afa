using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Reads;
using Throttled.Projections.Tables;
using Throttled.Projections.Tests.Lanes;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Reads;

/// <summary>
/// Two workers from a seed share or compete for the lanes of one read model. Lanes stop and start, the store fails, and the number of lanes changes.
/// The threads are real, and the invariants are checked at each commit.
/// </summary>
internal sealed class WorkerRun
{
    private readonly Random _random;
    private readonly Lock _chance = new();
    private readonly StreamedJournal _journal = new();
    private readonly ScriptedLaneStore _store;
    private readonly Poison _poison = new();
    private readonly int _events;
    private readonly int _gap;
    private readonly LaneWorker[] _workers;
    private double _faults;
    private IReadOnlyList<LaneRow> _lanes = [];
    private long _command;

    internal WorkerRun(int seed)
    {
        _random = new(seed);
        _store = new() { Map = _random.Next(2) == 0 ? ShardMap.Even(_random.Next(2, 4)) : ShardMap.Even(1) };
        _events = _random.Next(20, 150);
        _faults = _random.Next(3) * 0.02;
        for (var bad = _random.Next(6); bad > 0; bad--)
            _poison.Set(_random.Next(1, _events + 1), (PoisonKind)_random.Next(5), _random.Next(2) == 0 ? int.MaxValue : _random.Next(1, 6));
        _gap = _random.Next(2) * _random.Next(1, 100);
        _journal.Add(_events / 2);
        _store.Fate = Fate;
        _workers = [Worker(), Worker()];
    }

    public override string ToString() =>
        $"{_events} events; {string.Join(' ', _store.Offsets)}; {string.Join(' ', _workers.SelectMany(worker => worker.Reports))}; {_journal.Open} reads; {string.Join(' ', _store.Breaches)}";

    internal void Run() => RunAsync().WithinAsync("the run ends").GetAwaiter().GetResult();

    private int Second => (_events / 2) + _gap + 1;

    private async Task RunAsync()
    {
        await LayOutAsync();
        for (var step = _random.Next(5, 25); step > 0; step--)
        {
            await StepAsync(_workers[_random.Next(2)]);
            await Task.Yield();
        }
        await FinishAsync();
        foreach (var worker in _workers)
            await worker.DisposeAsync();
        Assert.Equal(0, _journal.Open);
    }

    private async Task StepAsync(LaneWorker worker)
    {
        switch (Next(7))
        {
            case 0:
                await LayOutAsync();
                break;
            case 1:
                using (var abort = new CancellationTokenSource())
                {
                    var stopping = worker.StopAsync([Next(_lanes.Count), Next(_lanes.Count)], abort.Token);
                    if (Next(2) == 0)
                        await abort.CancelAsync();
                    await stopping;
                }
                break;
            case 2 when _store.DeadLetters is { Count: > 0 } deadLetters:
                worker.Execute([Retry(deadLetters[Next(deadLetters.Count)].Event.PersistenceId)]);
                break;
            case 3:
                _journal.Settled = Math.Max(_journal.Settled, Next((_events / 2) + _gap + 1));
                worker.Tick();
                break;
            default:
                worker.Start([_lanes[Next(_lanes.Count)]], _store.Epoch);
                break;
        }
    }

    private async Task FinishAsync()
    {
        lock (_chance)
            _faults = 0;
        _poison.Repair();
        _journal.Add(_events - (_events / 2), from: Second);
        foreach (var worker in _workers)
            await worker.StopAsync([.. Enumerable.Range(0, 4)], new(true));
        await LayOutAsync();
        await Wait.UntilAsync(HasReadAll, "all are handled or stored as dead letters");
        await RetryAllAsync();
        Assert.Empty(_store.Breaches);
        Assert.Empty(_store.Discarded);
        Assert.Equal(_events, _store.Effects.Count);
    }

    private async Task RetryAllAsync()
    {
        foreach (var id in _store.DeadLetters.Select(deadLetter => deadLetter.Event.PersistenceId).Distinct())
        {
            // A retry is refused if a transaction in doubt has done it in the meantime, or a part of it. It is then repeated.
            for (var attempts = 0; attempts == 0 || (attempts < 3 && HasDeadLetters(id)); attempts++)
            {
                var command = Retry(id);
                await Wait.UntilAsync(() => HasEnded(command), () => $"the retry of {id} has ended");
            }
        }
    }

    // Lanes end, and their caller restarts them.
    private bool HasReadAll()
    {
        var alive = _workers[0].Reports.Where(report => report.State != LaneState.Failed).Select(report => report.Lane).ToHashSet();
        _workers[0].Start([.. _lanes.Where(lane => !alive.Contains(lane.Lane))], _store.Epoch);
        return _journal.Events.All(stored => _store.Locked(() => _store.OffsetOf(stored.PersistenceId)) >= stored.Ordering);
    }

    private bool HasDeadLetters(string id) => _store.DeadLetters.Any(deadLetter => deadLetter.Event.PersistenceId == id);

    private bool HasEnded(CommandRow command)
    {
        HasReadAll();
        _workers[0].Execute([command]);
        return _store.Command(command.Id).State != CommandState.Waiting;
    }

    private CommandRow Retry(string id) => new(++_command, "balances", CommandVerb.Retry) { PersistenceId = id };

    private async Task LayOutAsync() => _lanes = await _store.LayOutAsync(Next(4) + 1);

    private int Next(int below)
    {
        lock (_chance)
            return _random.Next(below);
    }

    private CallFate Fate(StoreCall call)
    {
        lock (_chance)
        {
            if (_random.NextDouble() >= _faults)
                return CallFate.Done;
            return call == StoreCall.Commit ? (CallFate)_random.Next(1, 4) : CallFate.Fails;
        }
    }

    private LaneWorker Worker()
    {
        var options = new ProjectionOptions
        {
            Name = "balances", Lanes = 4, BatchSize = _random.Next(1, 20), MaxAttempts = _random.Next(1, 4), OnFailure = FailurePolicy.DeadLetter,
            MaxBufferedBytes = _random.Next(1, 20_000), Decoder = _poison.Decode, TimeProvider = new ImmediateClock(),
        };
        var invariants = new LaneInvariants(_store, Journal(), isExactlyOnce: true);
        _store.Committed = invariants.Check;
        var handler = new ScriptedBatchHandler(_store, _poison) { Entered = async (_, _) => await Task.Yield() };
        return new(Shards, Make.Context(handler, options, _store));
    }

    // Each shard delivers the events of the whole journal; each reader takes those of its own slices.
    private IReadOnlyList<SourceShard> Shards =>
        [.. new LaneLayout(1, _store.Map).ShardsOf(SliceRange.All).Select((slices, index) => Make.Shard(_journal.Read) with { Index = index, Slices = slices })];

    // All events that are persisted in the end.
    private List<JournalEvent> Journal()
    {
        var whole = new StreamedJournal();
        whole.Add(_events / 2);
        whole.Add(_events - (_events / 2), from: Second);
        return [.. whole.Events];
    }
}
