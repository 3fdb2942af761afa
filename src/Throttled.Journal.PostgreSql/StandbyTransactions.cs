namespace Throttled.Journal.PostgreSql;

/// <summary>
/// The open transactions that may still commit an ordering, as far as a standby shows them. A standby does not show its primary's locks. So each
/// second stands for the transactions that were open in it. While an old second has not ended, later ones are wider. Otherwise a transaction that
/// stays open for a day would leave a name for each second. A second ends in two steps. First, the time <paramref name="grace"/> passes. Then
/// every transaction ends that the standby knew at the end of that time. The time is needed because the standby does not know a transaction that has
/// drawn a number but has written nothing yet. It counts only while the standby replays or has nothing to replay. This rule is weaker than locks: it
/// does not wait for a transaction whose first write comes more than <paramref name="grace"/> after it drew its number. Not thread-safe.
/// </summary>
/// <param name="grace">How long to wait for unknown transactions: <c>GapTimeout</c>.</param>
/// <param name="clock">Measures <paramref name="grace"/>.</param>
internal sealed class StandbyTransactions(TimeSpan grace, TimeProvider clock)
{
    private const int ManySeconds = 60;

    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly List<SeenSecond> _seconds = [];
    private readonly long _start = clock.GetTimestamp();
    private TimeSpan _observedAt;
    private TimeSpan _replayedFor;
    private long _replayedTo;
    private int _names;

    /// <summary>Records what the standby knows now.</summary>
    /// <returns>The seconds whose transactions may still commit; never empty, because the present second has not ended.</returns>
    internal IReadOnlySet<string> Observe(StandbyState state)
    {
        var now = clock.GetElapsedTime(_start);
        Count(state, now);
        if (_seconds.Count == 0 || now - _seconds[^1].Began >= Width(now))
            _seconds.Add(new($"standby/{++_names}", now));
        var current = _seconds[^1];
        current.ReplayedFor = _replayedFor;
        _seconds.RemoveAll(second => second != current && HasEnded(second, state));
        return _seconds.Select(second => second.Name).ToHashSet(StringComparer.Ordinal);
    }

    private TimeSpan Width(TimeSpan now)
    {
        var part = (now - _seconds[0].Began) / ManySeconds;
        return part > Second ? part : Second;
    }

    // A transaction that drew a number before has written by the end of the grace period, or is not waited for.
    private bool HasEnded(SeenSecond second, StandbyState state)
    {
        if (_replayedFor - second.ReplayedFor < grace)
            return false;
        second.NextTransaction ??= state.NextTransaction;
        return state.OldestOpen >= second.NextTransaction;
    }

    // At most one second counts per poll: it is unknown whether the standby replayed all the time between two distant polls.
    private void Count(StandbyState state, TimeSpan now)
    {
        var passed = now - _observedAt;
        if (state.ReplayedTo > _replayedTo || state.IsLevel)
            _replayedFor += passed < Second ? passed : Second;
        (_observedAt, _replayedTo) = (now, state.ReplayedTo);
    }

    private sealed class SeenSecond(string name, TimeSpan began)
    {
        internal string Name => name;

        internal TimeSpan Began => began;

        /// <summary>The first transaction that had not begun at the end of the grace period; null before.</summary>
        internal long? NextTransaction { get; set; }

        internal TimeSpan ReplayedFor { get; set; }
    }
}

/// <summary>What a standby knows of its primary.</summary>
/// <param name="OldestOpen">The oldest transaction that may be open: all before it have ended.</param>
/// <param name="NextTransaction">The first transaction that had not begun.</param>
/// <param name="ReplayedTo">How far it has replayed, in bytes of the log.</param>
/// <param name="IsLevel">Whether it is connected and has replayed all that it received.</param>
internal readonly record struct StandbyState(long OldestOpen, long NextTransaction, long ReplayedTo, bool IsLevel);
