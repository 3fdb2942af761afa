using Throttled.Journal;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>What must hold of a read model after each commit.</summary>
internal sealed class LaneInvariants(ScriptedLaneStore store, IReadOnlyList<JournalEvent> journal, bool isExactlyOnce)
{
    private readonly Dictionary<string, long> _last = [];

    /// <summary>Whether an event may be passed over.</summary>
    internal Func<JournalEvent, bool> MayBeMissing { get; init; } = _ => false;

    internal void Check(ScriptedLaneTransaction transaction)
    {
        foreach (var effect in transaction.Effects)
            InOrder(effect);
        var parked = store.DeadLetters.Select(deadLetter => deadLetter.Event.Ordering).ToHashSet();
        foreach (var stored in journal)
            Check(stored, parked.Contains(stored.Ordering));
    }

    /// <summary>An effect of an id comes behind those before it, and not before a dead letter of lower number.</summary>
    internal void InOrder(JournalEvent effect)
    {
        var last = _last.GetValueOrDefault(effect.PersistenceId);
        if (isExactlyOnce && effect.SequenceNumber <= last)
            Breach(effect, $"came behind {last}");
        _last[effect.PersistenceId] = Math.Max(last, effect.SequenceNumber);
        foreach (var deadLetter in store.DeadLetters.Where(deadLetter => IsBefore(deadLetter, effect) && (isExactlyOnce || !store.Effected.Contains(deadLetter.Event.Ordering))))
            Breach(effect, $"was handled while {deadLetter.Event} is parked");
        foreach (var missing in journal.Where(each => IsBefore(each, effect) && !store.Effected.Contains(each.Ordering) && !IsMissing(each)))
            Breach(effect, $"was handled before {missing}");
    }

    private void Check(JournalEvent stored, bool isParked)
    {
        var isHandled = store.Effected.Contains(stored.Ordering);
        if (stored.Ordering > store.OffsetOf(stored.PersistenceId))
        {
            if (isParked || (isHandled && isExactlyOnce))
                Breach(stored, "is above the offset and was handled or stored as dead letters");
            return;
        }
        if (isHandled && isParked && isExactlyOnce)
            Breach(stored, "is handled and parked");
        if (!isHandled && !isParked && !IsMissing(stored))
            Breach(stored, "is below the offset and neither handled nor parked");
    }

    private bool IsMissing(JournalEvent stored) => store.Discarded.Contains(stored.Ordering) || MayBeMissing(stored);

    private static bool IsBefore(DeadLetter deadLetter, JournalEvent effect) => IsBefore(deadLetter.Event, effect);

    private static bool IsBefore(JournalEvent one, JournalEvent other) =>
        one.PersistenceId == other.PersistenceId && one.SequenceNumber < other.SequenceNumber;

    private void Breach(JournalEvent stored, string what) => store.Breaches.Enqueue($"{stored} {what}");
}
