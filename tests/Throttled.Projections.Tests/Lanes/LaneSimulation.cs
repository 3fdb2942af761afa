using System.Text;
using Throttled.Projections.Databases;
using Throttled.Projections.Lanes;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>
/// Random lanes from a seed: few ids, poison, faults of the store, commands, other numbers of lanes, and runners that stop, die or compete. The
/// invariants are checked at each commit and at the end.
/// </summary>
internal sealed class LaneSimulation
{
    private readonly Random _random;
    private readonly FailurePolicy _policy;
    private readonly bool _isSingle;
    private readonly List<JournalEvent> _journal = [];
    private readonly ScriptedLaneStore _store = new();
    private readonly Poison _poison = new();
    private readonly LaneContext _context;
    private readonly StringBuilder _story = new();
    private readonly Dictionary<(int Lane, int Rival), ScriptedRunner> _runners = [];
    private readonly HashSet<string> _discardedIds = [];
    private IReadOnlyList<LaneRow> _lanes = [];
    private ScriptedRunner? _active;
    private int _visible;
    private long _command;
    private double _faults;

    internal LaneSimulation(int seed)
    {
        _random = new(seed);
        _policy = (FailurePolicy)_random.Next(3);
        _isSingle = _random.Next(4) == 0;
        _faults = _random.Next(3) * 0.02;
        Persist();
        var invariants = new LaneInvariants(_store, _journal, !_isSingle)
        {
            MayBeMissing = stored => _policy == FailurePolicy.Skip && _poison.Ever.ContainsKey(stored.Ordering),
        };
        _store.Committed = invariants.Check;
        _store.Fate = Fate;
        ProjectionHandler handler = _isSingle
            ? new ScriptedAtLeastOnceHandler(_store, _poison) { Handled = invariants.InOrder }
            : _random.Next(2) == 0 ? new ScriptedTransactionalHandler(_store, _poison) : new ScriptedBatchHandler(_store, _poison);
        _context = Make.Context(handler, Options(), _store) with { Random = _random.NextDouble };
        _lanes = _store.LayOut(_random.Next(1, 5));
    }

    public override string ToString() => $"{_policy}, {_context.Handler.GetType().Name}, batches of {_context.Options.BatchSize}, {_context.Options.MaxAttempts} attempts{Environment.NewLine}{_story}";

    internal void Run()
    {
        for (var step = _random.Next(20, 120); step > 0; step--)
            Step();
        Finish();
    }

    private ProjectionOptions Options() => new()
    {
        Name = "balances",
        BatchSize = _random.Next(1, 7),
        MaxAttempts = _random.Next(1, 4),
        OnFailure = _policy,
        Decoder = _poison.Decode,
        TimeProvider = new ImmediateClock(),
    };

    private void Persist()
    {
        var numbers = new Dictionary<string, long>();
        var ids = _random.Next(1, 6);
        for (long ordering = 1, count = _random.Next(5, 50); count > 0; count--)
        {
            var id = $"account-{_random.Next(ids)}";
            numbers[id] = numbers.GetValueOrDefault(id) + 1;
            _journal.Add(Make.Event(ordering, id, numbers[id]));
            if (_random.Next(8) == 0)
                _poison.Set(ordering, (PoisonKind)_random.Next(5), _random.Next(2) == 0 ? int.MaxValue : _random.Next(1, 8));
            ordering += _random.Next(4) == 0 ? _random.Next(1, 5) : 1;
        }
        foreach (var stored in _journal.Where(stored => _poison.Has(stored.Ordering)))
            _story.AppendLine($"poison {stored}");
    }

    private CallFate Fate(StoreCall call)
    {
        var chance = _random.NextDouble();
        if (chance < _faults)
        {
            var fate = call == StoreCall.Commit ? (CallFate)_random.Next(1, 4) : CallFate.Fails;
            _story.AppendLine($"  {call} {fate}");
            return fate;
        }
        if (chance > 1 - (_faults / 4) && _active is { } active)
        {
            _story.AppendLine($"  stopped at {call}");
            active.Stop(isAborted: _random.Next(2) == 0);
        }
        return CallFate.Done;
    }

    private void Step()
    {
        _visible = Math.Min(_journal.Count, _visible + _random.Next(4));
        var (lane, rival) = (_random.Next(_lanes.Count), _isSingle ? 0 : _random.Next(8) / 7);
        switch (_random.Next(30))
        {
            case 0:
                LayOut();
                break;
            case 1 or 2:
                Close((lane, rival));
                break;
            case 3 when _poison.Ever.Keys.ToList() is { Count: > 0 } bad:
                _poison.Repair(bad[_random.Next(bad.Count)]);
                break;
            case 4 or 5 or 6 or 7 when _store.DeadLetters is { Count: > 0 } deadLetters:
                Command(deadLetters[_random.Next(deadLetters.Count)].Event, rival);
                break;
            default:
                Drive(lane, rival, runner => runner.Step(_journal, Visible));
                break;
        }
        Assert.Empty(_store.Breaches);
    }

    private long Visible => _visible == 0 ? 0 : _journal[_visible - 1].Ordering;

    private void LayOut()
    {
        _lanes = _store.LayOut(_random.Next(1, 5));
        _story.AppendLine($"{_lanes.Count} lanes");
    }

    private void Close((int, int) key)
    {
        if (_runners.Remove(key, out var runner))
            runner.Dispose();
    }

    private void Command(JournalEvent about, int rival)
    {
        var isDiscard = _random.Next(4) == 0;
        if (isDiscard)
            _discardedIds.Add(about.PersistenceId);
        Execute(about.PersistenceId, isDiscard ? CommandVerb.Discard : CommandVerb.Retry, _random.Next(2) == 0 ? about.SequenceNumber : null, rival);
    }

    private CommandRow Execute(string id, CommandVerb verb, long? number, int rival)
    {
        var command = new CommandRow(++_command, "balances", verb) { PersistenceId = id, SequenceNumber = number };
        var lane = _lanes.First(row => row.Slices.Contains(JournalSlices.Of(id))).Lane;
        _story.AppendLine($"command {command.Id}: {verb} {id} {number}");
        for (var attempt = 0; attempt < 5 && _store.Command(command.Id).State == CommandState.Waiting; attempt++)
            Drive(lane, rival, runner => runner.Execute(command));
        _story.AppendLine($"  {_store.Command(command.Id)}");
        return command;
    }

    private void Drive(int lane, int rival, Action<ScriptedRunner> act)
    {
        try
        {
            _story.AppendLine($"lane {lane} of {_lanes.Count}, runner {rival}");
            if (!_runners.TryGetValue((lane, rival), out var runner))
                _runners[(lane, rival)] = runner = new(_context, _lanes[lane], _store.Epoch);
            _active = runner;
            act(runner);
        }
        catch (Exception error) when (error is FencedException or LaneStoppedException or OperationCanceledException)
        {
            _story.AppendLine($"  {error.GetType().Name}: {error.Message}");
            Close((lane, rival));
        }
        finally
        {
            _active = null;
        }
    }

    private void Finish()
    {
        _faults = 0;
        _visible = _journal.Count;
        _story.AppendLine("mended");
        _poison.Repair();
        LayOut();
        _runners.Keys.ToList().ForEach(Close);
        for (var round = 0; round < 100 && _lanes.Any(lane => _store.Offsets.Any(row => row.Ordering < Visible)); round++)
            _lanes.ToList().ForEach(lane => Drive(lane.Lane, 0, runner => runner.Step(_journal, Visible)));
        foreach (var id in _store.DeadLetters.Select(deadLetter => deadLetter.Event.PersistenceId).Distinct().ToList())
            Assert.Equal(CommandState.Done, _store.Command(Execute(id, CommandVerb.Retry, null, 0).Id).State);
        Assert.Empty(_store.Breaches);
        Assert.Empty(_store.DeadLetters);
        CheckEnd();
    }

    private void CheckEnd()
    {
        Assert.All(_store.Offsets, row => Assert.Equal(Visible, row.Ordering));
        var missing = _journal.Where(stored => !_store.Effected.Contains(stored.Ordering)).ToList();
        Assert.All(missing, stored => Assert.True(
            _policy == FailurePolicy.Skip ? _poison.Ever.ContainsKey(stored.Ordering)
            : _store.Discarded.Contains(stored.Ordering) && _discardedIds.Contains(stored.PersistenceId), $"{stored} is missing"));
        if (!_isSingle)
            Assert.Equal(_store.Effected.Count, _store.Effects.Count);
    }
}
