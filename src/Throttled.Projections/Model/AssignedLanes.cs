using System.Runtime.CompilerServices;

namespace Throttled.Projections;

/// <summary>
/// Lanes that are assigned to this process from outside, for example by a cluster. They are assigned in parts: with <c>n</c> parts, lane <c>l</c>
/// belongs to part <c>l % n</c>. So any number of lanes can be assigned, also when a command changes it. A lane of a part that no process has runs
/// nowhere. A lane that another process still owns is claimed as soon as it is released or its lease has expired. Use one object for one projection.
/// Thread-safe.
/// </summary>
/// <param name="parts">The number of parts, at least 1. All processes should have the same number.</param>
public sealed class AssignedLanes(int parts) : LaneOwnership
{
    private readonly Lock _lock = new();
    private readonly Dictionary<int, int> _assigned = [];
    private readonly List<Drain> _drains = [];
    private Action? _wake;
    private long _changes;

    /// <summary>The number of parts.</summary>
    public int Parts { get; } = parts >= 1
        ? parts
        : throw new ArgumentOutOfRangeException(nameof(parts), parts, "'parts' must be at least 1. Use the number of lanes.");

    /// <summary>Assigns a part to this process. A part that was assigned several times must be removed as often.</summary>
    /// <param name="part">From 0 to <see cref="Parts"/> - 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such part.</exception>
    public void Add(int part)
    {
        Check(part);
        Change(() => _assigned[part] = _assigned.GetValueOrDefault(part) + 1)?.Invoke();
    }

    /// <summary>Takes a part from this process.</summary>
    /// <param name="part">From 0 to <see cref="Parts"/> - 1.</param>
    /// <returns>
    /// Completes when the current batches of its lanes were written and their leases are released, in all read models of the projection; also when the
    /// projection has stopped, or the part is assigned again. It does not fail. If the database is unavailable, it waits for it.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">There is no such part.</exception>
    /// <exception cref="InvalidOperationException">The part is not assigned.</exception>
    public Task RemoveAsync(int part)
    {
        Check(part);
        var drained = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Change(() => Remove(part, drained))?.Invoke();
        return drained.Task;
    }

    /// <inheritdoc/>
    public override IReadOnlyList<int> Claim(LaneOwners lanes)
    {
        ArgumentNullException.ThrowIfNull(lanes);
        lock (_lock)
            return [.. lanes.Free.Where(IsAssigned)];
    }

    /// <inheritdoc/>
    public override IReadOnlyList<int> Release(LaneOwners lanes)
    {
        ArgumentNullException.ThrowIfNull(lanes);
        lock (_lock)
            return [.. lanes.Mine.Where(lane => !IsAssigned(lane))];
    }

    internal override void Attach(Action wake)
    {
        lock (_lock)
        {
            _wake = _wake is null
                ? wake
                : throw new InvalidOperationException($"'{nameof(ProjectionOptions.LaneOwnership)}' is used by another projection that runs. Give each projection its own.");
        }
    }

    internal override void Detach()
    {
        lock (_lock)
        {
            _wake = null;
            End(static _ => true);
        }
    }

    internal override long BeginRound()
    {
        lock (_lock)
            return _changes;
    }

    internal override void EndRound(long round, IReadOnlyCollection<int> owned)
    {
        lock (_lock)
            End(drain => drain.Change <= round && !owned.Any(lane => PartOf(lane) == drain.Part));
    }

    private Action? Change(Action change)
    {
        lock (_lock)
        {
            _changes++;
            change();
            End(drain => _wake is null || _assigned.ContainsKey(drain.Part));
            return _wake;
        }
    }

    private void Remove(int part, TaskCompletionSource drained)
    {
        var left = _assigned.GetValueOrDefault(part) - 1;
        if (left < 0)
            throw new InvalidOperationException(FormattableString.Invariant($"Part {part} is not assigned to this process."));
        if (left == 0)
            _assigned.Remove(part);
        else
            _assigned[part] = left;
        _drains.Add(new(part, _changes, drained));
    }

    private void End(Predicate<Drain> ended)
    {
        foreach (var drain in _drains.FindAll(ended))
        {
            _drains.Remove(drain);
            drain.Drained.SetResult();
        }
    }

    private bool IsAssigned(int lane) => _assigned.ContainsKey(PartOf(lane));

    private int PartOf(int lane) => lane % Parts;

    private void Check(int part, [CallerArgumentExpression(nameof(part))] string name = "")
    {
        if (part < 0 || part >= Parts)
            throw new ArgumentOutOfRangeException(name, part, FormattableString.Invariant($"'{name}' must be from 0 to {Parts - 1}."));
    }

    private sealed record Drain(int Part, long Change, TaskCompletionSource Drained);
}
