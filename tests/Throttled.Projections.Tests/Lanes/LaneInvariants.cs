namespace Throttled.Projections.Tests.Lanes;

/// <summary>The invariants of a read model, checked after each commit.</summary>
internal sealed class LaneInvariants(ScriptedLaneStore store, IReadOnlyList<JournalEvent> journal, bool isExactlyOnce)
{
    private readonly Dictionary<string, long> _last = [];

    /// <summary>Whether an event may have no effect.</summary>
    internal Func<JournalEvent, bool> MayBeMissing { get; init; } = _ => false;

    internal void Check(ScriptedLaneTransaction transaction)
    {
        foreach (var effect in transaction.Effects)
            InOrder(effect);
        var deadLetters = store.DeadLetters.Select(deadLetter => deadLetter.Event.Ordering).ToHashSet();
        foreach (var stored in journal)
            Check(stored, deadLetters.Contains(stored.Ordering));
    }

    /// <summary>The effects of an id are in order, and none comes before a dead letter with a lower sequence number.</summary>
    internal void InOrder(JournalEvent effect)
    {
        var last = _last.GetValueOrDefault(effect.PersistenceId);
        if (isExactlyOnce && effect.SequenceNumber <= last)
            Breach(effect, $"came after {last}");
        _last[effect.PersistenceId] = Math.Max(last, effect.SequenceNumber);
        foreach (var deadLetter in store.DeadLetters.Where(deadLetter => IsBefore(deadLetter, effect) && (isExactlyOnce || !store.Effected.Contains(deadLetter.Event.Ordering))))
            Breach(effect, $"was handled while {deadLetter.Event} is a dead letter");
        foreach (var missing in journal.Where(each => IsBefore(each, effect) && !store.Effected.Contains(each.Ordering) && !IsMissing(each)))
            Breach(effect, $"was handled before {missing}");
    }

    private void Check(JournalEvent stored, bool isDeadLetter)
    {
        var isHandled = store.Effected.Contains(stored.Ordering);
        if (stored.Ordering > store.OffsetOf(stored.PersistenceId))
        {
            if (isDeadLetter || (isHandled && isExactlyOnce))
                Breach(stored, "is above the offset and was handled or stored as a dead letter");
            return;
        }
        if (isHandled && isDeadLetter && isExactlyOnce)
            Breach(stored, "is handled and a dead letter");
        if (!isHandled && !isDeadLetter && !IsMissing(stored))
            Breach(stored, "is below the offset and neither handled nor a dead letter");
    }

    private bool IsMissing(JournalEvent stored) => store.Discarded.Contains(stored.Ordering) || MayBeMissing(stored);

    private static bool IsBefore(DeadLetter deadLetter, JournalEvent effect) => IsBefore(deadLetter.Event, effect);

    private static bool IsBefore(JournalEvent one, JournalEvent other) =>
        one.PersistenceId == other.PersistenceId && one.SequenceNumber < other.SequenceNumber;

    private void Breach(JournalEvent stored, string what) => store.Breaches.Enqueue($"{stored} {what}");
}
