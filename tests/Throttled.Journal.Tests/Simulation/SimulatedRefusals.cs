using Throttled.Journal.Database;

namespace Throttled.Simulation;

/// <summary>
/// Connections that cannot be opened, which end no query. Refusals of every kind for some time, which may end queries if their kind
/// or their duration allows it.
/// </summary>
internal sealed class SimulatedRefusals
{
    private static readonly FaultKind[] Opening = [FaultKind.ConnectionLost, FaultKind.TooManyConnections, FaultKind.Transient];
    private static readonly FaultKind[] Kinds = [FaultKind.Fatal, FaultKind.Fatal, FaultKind.Fatal, FaultKind.Unreadable, FaultKind.MissingTable, FaultKind.TimedOut];

    private const string CannotRead = "The journal's reader cannot read ";

    private readonly SimulationPlan _plan;
    private readonly World _world;
    private readonly Random _chance;
    private readonly Coverage _coverage;
    private readonly Refused _probes = new();
    private readonly Refused _tail = new();
    private readonly Dictionary<string, Refused> _pages = new(StringComparer.Ordinal);
    private FaultKind? _refused;
    private bool _isTableMissed;
    private bool _isOver;

    internal SimulatedRefusals(SimulationPlan plan, World world, Random chance, Coverage coverage)
    {
        (_plan, _world, _chance, _coverage) = (plan, world, chance, coverage);
        world.Database.Fault = Meet;
    }

    internal void Step()
    {
        Observe();
        if (_plan.HasRefusals && _chance.Next(_refused is null ? 60 : 30) == 0)
            _refused = _refused is null ? Kinds[_chance.Next(Kinds.Length)] : null;
    }

    internal void End() => _isOver = true;

    internal void Failed(ScriptedCall call, FaultKind kind)
    {
        _isTableMissed |= kind == FaultKind.MissingTable;
        foreach (var part in PartsOf(call))
        {
            part.EndsAtOnce |= kind == FaultKind.Fatal ? !_world.Engine.Outage().HasSucceeded : kind == FaultKind.Unreadable && call.IsPages;
            if (kind == FaultKind.Fatal)
                part.Since ??= _world.Clock.Now;
        }
    }

    /// <summary>A call succeeded. A statement of pages shows nothing about other queries.</summary>
    internal void Worked(ScriptedCall call)
    {
        Observe();
        if (call.Kind == CallKind.Probe)
            _probes.Since = null;
        else if (call.Kind is CallKind.Anchor or CallKind.Keys or CallKind.Older)
            _tail.Since = null;
    }

    /// <summary>Whether a query may end with this message.</summary>
    internal bool MayEnd(string message)
    {
        Observe();
        var may = _plan.HasRefusals && PartsOf(message).Any(part => part.EndsAtOnce || part.Most >= _plan.Options.FatalErrorGracePeriod);
        _coverage.AddIf(may, "a query ends because it is refused");
        return may || (_plan.Options.RequireTable && _isTableMissed && message.Contains("'RequireTable' off", StringComparison.Ordinal));
    }

    // If lost statements cannot be checked, their time-out decides. Other tests cover that.
    private ScriptedFault? Meet(ScriptedCall call)
    {
        if (_isOver)
            return null;
        if (_plan.HasOpeningFaults && _chance.Next(10) == 0)
        {
            var kind = Opening[_chance.Next(Opening.Length)];
            _coverage.Add($"no connection can be opened: {kind}");
            return new(kind);
        }
        if (_refused is not { } refused || call.Kind == CallKind.StillRunning || _chance.Next(4) == 0)
            return null;
        _coverage.Add($"refused: {refused}");
        Failed(call, refused);
        return new(refused);
    }

    private IEnumerable<Refused> PartsOf(ScriptedCall call) => call switch
    {
        { Kind: CallKind.Probe } => [_probes],
        { Kind: CallKind.Anchor or CallKind.Keys or CallKind.Rows or CallKind.Older } => [_tail],
        { IsPages: false } => [],
        { Kind: CallKind.Ordered or CallKind.FromEnd } => [PageOf("")],
        { Kind: CallKind.Ids } => [PageOf("the persistence ids")],
        _ => call.Ids.Select(id => PageOf($"the events of '{id}'")),
    };

    private IEnumerable<Refused> PartsOf(string message) =>
        message.StartsWith("The journal cannot be read", StringComparison.Ordinal) ? [_probes]
        : message.StartsWith("The journal cannot be followed: the poll for new events failed: ", StringComparison.Ordinal) ? [_tail]
        : message.StartsWith(CannotRead, StringComparison.Ordinal) ? [SubjectOf(message)]
        : [];

    private Refused SubjectOf(string message) => _pages
        .FirstOrDefault(page => page.Key.Length > 0 && message.StartsWith($"{CannotRead}{page.Key}: ", StringComparison.Ordinal)).Value ?? PageOf("");

    // All queries in journal order count as one.
    private Refused PageOf(string subject)
    {
        if (!_pages.TryGetValue(subject, out var page))
            _pages[subject] = page = new();
        return page;
    }

    private void Observe()
    {
        foreach (var part in _pages.Values.Append(_probes).Append(_tail))
        {
            if (part.Since is { } since && _world.Clock.Now - since > part.Most)
                part.Most = _world.Clock.Now - since;
        }
    }

    private sealed class Refused
    {
        /// <summary>The beginning of the refusal; null if there is none.</summary>
        internal TimeSpan? Since { get; set; }

        /// <summary>Its longest duration so far.</summary>
        internal TimeSpan Most { get; set; } = TimeSpan.MinValue;

        /// <summary>Whether a refusal ends queries without the grace period.</summary>
        internal bool EndsAtOnce { get; set; }
    }
}
