using Throttled.Journal.Rows;

namespace Throttled.Simulation;

/// <summary>
/// Changes the results of polls: sometimes the open transactions are unknown, the server has the name that one session or another
/// knows, and for some time the order cannot be read.
/// </summary>
internal sealed class SimulatedEvidence
{
    private const string Refusal = "The order cannot be read.";

    private readonly SimulationPlan _plan;
    private readonly World _world;
    private readonly SimulatedCrowd _crowd;
    private readonly Random _chance;
    private readonly Coverage _coverage;
    private readonly List<string> _names = [];
    private bool _beginsAnew;
    private bool _wasBlind;

    internal SimulatedEvidence(SimulationPlan plan, World world, SimulatedCrowd crowd, Random chance, Coverage coverage)
    {
        (_plan, _world, _crowd, _chance, _coverage) = (plan, world, crowd, chance, coverage);
        world.Database.ChangePoll = Change;
        world.Database.ChangeStart = Change;
    }

    /// <summary>Whether a query in journal order may end with this message.</summary>
    internal bool MayEnd(string message) => _plan.HasOrderRefusals && message == Refusal;

    internal void Step()
    {
        if (!_plan.HasOrderRefusals || _chance.Next(60) != 0)
            return;
        var refusal = _world.Database.PollRefusal is null ? Refusal : null;
        (_world.Database.PollRefusal, _world.Database.OrderRefusal) = (refusal, refusal);
    }

    internal void End() => (_world.Database.PollRefusal, _world.Database.OrderRefusal) = (null, null);

    private TailStart Change(TailStart start)
    {
        NoteRefusal(start.OrderRefusal);
        _beginsAnew = true;
        return start with { OpenTransactions = Seen(start.OpenTransactions) };
    }

    private KeysResult Change(KeysRequest request, KeysResult result)
    {
        NoteRefusal(result.OrderRefusal);
        return result with
        {
            OpenTransactions = Seen(result.OpenTransactions),
            Server = _plan.AlternatesNames ? NameOf(request, result) : result.Server,
        };
    }

    // Never twice in a row, because missing evidence has a time limit.
    private IReadOnlySet<string>? Seen(IReadOnlySet<string>? openTransactions)
    {
        if (openTransactions is null)
            return null;
        _wasBlind = _plan.HasBlindPolls && !_wasBlind && _chance.Next(3) == 0;
        _coverage.AddIf(_wasBlind && openTransactions.Count > 0, "a poll does not know the open transactions");
        return _wasBlind ? null : openTransactions;
    }

    // A session keeps the name that it knows, and later sessions have a newer one. A new name together with a missing newest row
    // looks like a crash, so it comes at another time. A first poll forgets one of the names, or none.
    private string NameOf(KeysRequest request, KeysResult result)
    {
        var stands = result.Above.Count > 0 && result.Above[0].Ordering == request.From;
        var isNew = _names.Count == 0 || (!_beginsAnew && stands && _names.Count == 1 && _chance.Next(3) == 0);
        if (isNew)
            _names.Add(_names.Contains("server/1") ? "server/2" : "server/1");
        else if (_beginsAnew && _names.Count > 1)
            _names.RemoveAt(_chance.Next(2));
        _beginsAnew = false;
        _coverage.AddIf(!stands && _names.Count > 1, "the newest row has gone while the server's name changes");
        return isNew ? _names[^1] : _names[_chance.Next(_names.Count)];
    }

    private void NoteRefusal(string? refusal)
    {
        if (refusal is null)
            return;
        foreach (var run in _crowd.Readers.OfType<OrderedRun>().Where(run => run.IsFollower))
        {
            _coverage.Add("a poll refuses the order to a query");
            run.HasToFail = true;
        }
    }
}
