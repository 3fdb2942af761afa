using Throttled.Journal;
using Throttled.Projections.Lanes;
using Throttled.Projections.Positions;
using Throttled.Projections.Reads;
using Throttled.Projections.Store;
using Throttled.Testing;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>
/// Two crews, drawn from a seed, that share or fight over the lanes of one read model while lanes stop and start, the store fails and the number of
/// lanes changes. The threads are real; what must hold is checked at each commit.
/// </summary>
internal sealed class CrewRun
{
    private readonly Random _random;
    private readonly Lock _chance = new();
    private readonly StreamedJournal _journal = new();
    private readonly ScriptedLaneStore _store;
    private readonly Poison _poison = new();
    private readonly int _events;
    private readonly int _gap;
    private readonly LaneCrew[] _crews;
    private double _faults;
    private IReadOnlyList<LaneRow> _lanes = [];
    private long _command;

    internal CrewRun(int seed)
    {
        _random = new(seed);
        _store = new() { Map = _random.Next(2) == 0 ? ShardMap.Even(_random.Next(2, 4)) : null };
        _events = _random.Next(20, 150);
        _faults = _random.Next(3) * 0.02;
        for (var bad = _random.Next(6); bad > 0; bad--)
            _poison.Set(_random.Next(1, _events + 1), (PoisonKind)_random.Next(5), _random.Next(2) == 0 ? int.MaxValue : _random.Next(1, 6));
        _gap = _random.Next(2) * _random.Next(1, 100);
        _journal.Add(_events / 2);
        _store.Fate = Fate;
        _crews = [Crew(), Crew()];
    }

    public override string ToString() =>
        $"{_events} events; {string.Join(' ', _store.Positions)}; {string.Join(' ', _crews.SelectMany(crew => crew.Reports))}; {_journal.Open} reads; {string.Join(' ', _store.Breaches)}";

    internal void Run() => RunAsync().WithinAsync("the run ends").GetAwaiter().GetResult();

    private int Second => (_events / 2) + _gap + 1;

    private async Task RunAsync()
    {
        await LayOutAsync();
        for (var step = _random.Next(5, 25); step > 0; step--)
        {
            await StepAsync(_crews[_random.Next(2)]);
            await Task.Yield();
        }
        await FinishAsync();
        foreach (var crew in _crews)
            await crew.DisposeAsync();
        Assert.Equal(0, _journal.Open);
    }

    private async Task StepAsync(LaneCrew crew)
    {
        switch (Next(7))
        {
            case 0:
                await LayOutAsync();
                break;
            case 1:
                using (var hurry = new CancellationTokenSource())
                {
                    var stopping = crew.StopAsync([Next(_lanes.Count), Next(_lanes.Count)], hurry.Token);
                    if (Next(2) == 0)
                        await hurry.CancelAsync();
                    await stopping;
                }
                break;
            case 2 when _store.Letters is { Count: > 0 } letters:
                crew.Execute(Retry(letters[Next(letters.Count)].Stored.PersistenceId));
                break;
            case 3:
                _journal.Settled = Math.Max(_journal.Settled, Next((_events / 2) + _gap + 1));
                crew.Tick();
                break;
            default:
                crew.Start([_lanes[Next(_lanes.Count)]], _store.Epoch);
                break;
        }
    }

    private async Task FinishAsync()
    {
        lock (_chance)
            _faults = 0;
        _poison.Mend();
        _journal.Add(_events - (_events / 2), from: Second);
        foreach (var crew in _crews)
            await crew.StopAsync([.. Enumerable.Range(0, 4)], new(true));
        await LayOutAsync();
        await Wait.UntilAsync(IsThrough, "all are handled or stored as dead letters");
        await RetryAllAsync();
        Assert.Empty(_store.Breaches);
        Assert.Empty(_store.Discarded);
        Assert.Equal(_events, _store.Effects.Count);
    }

    private async Task RetryAllAsync()
    {
        foreach (var id in _store.Letters.Select(letter => letter.Stored.PersistenceId).Distinct())
        {
            // Again where it was refused, because a transaction that was in doubt has done it meanwhile, or a part of it.
            for (var attempts = 0; attempts == 0 || (attempts < 3 && HasLetters(id)); attempts++)
            {
                var command = Retry(id);
                await Wait.UntilAsync(() => HasEnded(command), () => $"the retry of {id} has ended");
            }
        }
    }

    // Lanes end by themselves, and their caller starts them again.
    private bool IsThrough()
    {
        var alive = _crews[0].Reports.Where(report => report.State != LaneState.Failed).Select(report => report.Lane).ToHashSet();
        _crews[0].Start([.. _lanes.Where(lane => !alive.Contains(lane.Lane))], _store.Epoch);
        return _journal.Events.All(stored => _store.Locked(() => _store.PositionOf(stored.PersistenceId)) >= stored.Ordering);
    }

    private bool HasLetters(string id) => _store.Letters.Any(letter => letter.Stored.PersistenceId == id);

    private bool HasEnded(CommandRow command)
    {
        IsThrough();
        _crews[0].Execute(command);
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

    private LaneCrew Crew()
    {
        var options = new ProjectionOptions
        {
            Name = "balances", Lanes = 4, BatchSize = _random.Next(1, 20), MaxAttempts = _random.Next(1, 4), OnFailure = FailurePolicy.DeadLetter,
            MaxBufferedBytes = _random.Next(1, 20_000), Decoder = _poison.Decode, TimeProvider = new ImmediateClock(),
        };
        var invariants = new LaneInvariants(_store, Journal(), isExactlyOnce: true);
        _store.Committed = invariants.Check;
        var handler = new ScriptedBatchHandler(_store, _poison) { Entered = async (_, _) => await Task.Yield() };
        return new(Shards, new("balances", handler, options, _store, new SqliteReadModel()) { News = new NoNews() });
    }

    // Each shard gives what the whole journal has: who reads it takes what is its own.
    private IReadOnlyList<ShardReads> Shards =>
        [.. new LaneDivision(1, _store.Map).ShardsOf(SliceRange.All).Select((slices, index) => new ShardReads { Index = index, Slices = slices, Open = _journal.Read })];

    // What will have been persisted in the end.
    private List<JournalEvent> Journal()
    {
        var whole = new StreamedJournal();
        whole.Add(_events / 2);
        whole.Add(_events - (_events / 2), from: Second);
        return [.. whole.Events];
    }
}
