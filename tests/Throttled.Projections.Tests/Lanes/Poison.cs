using System.Collections.Concurrent;

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

    /// <summary>The handler swallows an error of the database, and the database then refuses to commit.</summary>
    Swallowed,

    /// <summary>The handler fails with a transient error of the database.</summary>
    Transient,
}

/// <summary>The events that fail, and how often they still do.</summary>
internal sealed class Poison
{
    private readonly ConcurrentDictionary<long, (PoisonKind Kind, int Left)> _events = [];

    /// <summary>All events that have ever failed.</summary>
    internal ConcurrentDictionary<long, bool> Ever { get; } = [];

    internal void Set(long ordering, PoisonKind kind, int times = int.MaxValue)
    {
        _events[ordering] = (kind, times);
        Ever[ordering] = true;
    }

    internal void Repair() => _events.Clear();

    internal void Repair(long ordering) => _events.TryRemove(ordering, out _);

    internal bool Has(long ordering) => _events.ContainsKey(ordering);

    internal object Decode(JournalEvent stored) =>
        Take(stored.Ordering, kind => kind == PoisonKind.Undecodable) is not null ? throw new FormatException("torn") : stored;

    /// <returns>Whether the transaction is aborted.</returns>
    internal bool Handle(long ordering) => Take(ordering, kind => kind != PoisonKind.Undecodable) switch
    {
        PoisonKind.Throws => throw new InvalidOperationException("poison"),
        PoisonKind.Named => throw new EventFailedException(ordering, new InvalidOperationException("poison")),
        PoisonKind.Transient => throw new ReadModelFault("a deadlock", isTransient: true),
        PoisonKind.Swallowed => true,
        _ => false,
    };

    private PoisonKind? Take(long ordering, Func<PoisonKind, bool> isWanted)
    {
        if (!_events.TryGetValue(ordering, out var poison) || !isWanted(poison.Kind))
            return null;
        if (poison.Left <= 1)
            _events.TryRemove(ordering, out _);
        else if (poison.Left < int.MaxValue)
            _events[ordering] = (poison.Kind, poison.Left - 1);
        return poison.Kind;
    }
}
