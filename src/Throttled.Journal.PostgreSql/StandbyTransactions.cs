namespace Throttled.Journal.PostgreSql;

/// <summary>
/// The open transactions that may still commit an ordering, as far as a standby can say. It does not show its primary's locks, so whoever is open stands here under the
/// name of the second in which it was seen, or of a longer while where one has been waited for long: a transaction that stays open for a day must not
/// leave a name for each second. A second has ended when a grace has passed, and then every transaction that the standby knew of at
/// its end: one that has drawn a number and not written yet is not known. The grace passes only while the
/// standby replays, or has nothing to replay. Weaker than locks: a transaction that holds a number for longer than the grace before it
/// first writes is not waited for. Not thread-safe.
/// </summary>
/// <param name="grace">How long what is not known is waited for.</param>
/// <param name="clock">Measures it.</param>
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

    /// <summary>Takes in what the standby knows now.</summary>
    /// <returns>Who may still commit; never empty, because the present second has not ended.</returns>
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

    // Who drew a number before has written by the end of the grace, or is not waited for.
    private bool HasEnded(SeenSecond second, StandbyState state)
    {
        if (_replayedFor - second.ReplayedFor < grace)
            return false;
        second.NextTransaction ??= state.NextTransaction;
        return state.OldestOpen >= second.NextTransaction;
    }

    // Whether it replayed all the time between two polls that lie far apart, nobody knows.
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

        /// <summary>The first transaction that had not begun at the end of the grace; null before.</summary>
        internal long? NextTransaction { get; set; }

        internal TimeSpan ReplayedFor { get; set; }
    }
}

/// <summary>What a standby knows of its primary.</summary>
/// <param name="OldestOpen">The oldest transaction that may be open: all before it have ended.</param>
/// <param name="NextTransaction">The first that had not begun.</param>
/// <param name="ReplayedTo">How far it has replayed, in bytes of the log.</param>
/// <param name="IsLevel">Whether it is connected and has replayed all that it received.</param>
internal readonly record struct StandbyState(long OldestOpen, long NextTransaction, long ReplayedTo, bool IsLevel);
