using Throttled.Journal.Database;
using Throttled.Journal.Loop;
using Throttled.Journal.Permits;

namespace Throttled.Journal;

/// <summary>Settings that a simulation or an actor system overrides.</summary>
internal sealed record EngineOverrides
{
    internal ILoopScheduler Scheduler { get; init; } = new ThreadPoolScheduler();

    internal Random Random { get; init; } = Random.Shared;

    internal int Processors { get; init; } = Environment.ProcessorCount;

    internal int KeysPerPoll { get; init; } = 10_000;

    /// <summary>The exception of queries when the journal is closed.</summary>
    internal Func<Exception> Closed { get; init; } = () => new ObjectDisposedException(nameof(JournalReader));

    /// <summary>
    /// Called when a defect has ended all queries, with the exception of those queries. The callee disposes this engine and opens another. If null,
    /// the user opens another.
    /// </summary>
    internal Action<Func<Exception>>? Ended { get; init; }

    /// <summary>The user's names for the journal and its settings; null for <see cref="JournalNaming.Of"/>.</summary>
    internal JournalNaming? Naming { get; init; }

    /// <summary>Makes the permit source; null for <see cref="LocalPermits"/>.</summary>
    internal Func<JournalContext, IPermitSource>? Permits { get; init; }

    /// <summary>A limit from outside; null for none. The permit source must count with it too.</summary>
    internal PermitCeiling? Ceiling { get; init; }
}
