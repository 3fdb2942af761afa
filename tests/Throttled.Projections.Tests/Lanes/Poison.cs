using System.Collections.Concurrent;
using Throttled.Journal;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>How an event fails.</summary>
internal enum PoisonKind
{
    /// <summary>The handler throws.</summary>
    Throws,

    /// <summary>The handler throws and names the event.</summary>
    Named,

    /// <summary>The decoder throws.</summary>
    Undecodable,

    /// <summary>The handler swallows an error of the database, which then refuses to commit.</summary>
    Swallowed,

    /// <summary>The handler meets a fault of the database that passes.</summary>
    Transient,
}

/// <summary>Which events fail, and how often still.</summary>
internal sealed class Poison
{
    private readonly ConcurrentDictionary<long, (PoisonKind Kind, int Left)> _events = [];

    /// <summary>All that ever failed.</summary>
    internal ConcurrentDictionary<long, bool> Ever { get; } = [];

    internal void Set(long ordering, PoisonKind kind, int times = int.MaxValue)
    {
        _events[ordering] = (kind, times);
        Ever[ordering] = true;
    }

    internal void Mend() => _events.Clear();

    internal void Mend(long ordering) => _events.TryRemove(ordering, out _);

    internal bool Has(long ordering) => _events.ContainsKey(ordering);

    internal object Decode(JournalEvent stored) =>
        Strikes(stored.Ordering, kind => kind == PoisonKind.Undecodable) is not null ? throw new FormatException("torn") : stored;

    /// <returns>Whether the transaction is spoilt.</returns>
    internal bool Handle(long ordering) => Strikes(ordering, kind => kind != PoisonKind.Undecodable) switch
    {
        PoisonKind.Throws => throw new InvalidOperationException("poison"),
        PoisonKind.Named => throw new EventFailedException(ordering, new InvalidOperationException("poison")),
        PoisonKind.Transient => throw new ReadModelFault("a deadlock", isTransient: true),
        PoisonKind.Swallowed => true,
        _ => false,
    };

    private PoisonKind? Strikes(long ordering, Func<PoisonKind, bool> isMeant)
    {
        if (!_events.TryGetValue(ordering, out var poison) || !isMeant(poison.Kind))
            return null;
        if (poison.Left <= 1)
            _events.TryRemove(ordering, out _);
        else if (poison.Left < int.MaxValue)
            _events[ordering] = (poison.Kind, poison.Left - 1);
        return poison.Kind;
    }
}
