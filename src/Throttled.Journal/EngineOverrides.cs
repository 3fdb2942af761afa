using Throttled.Journal.Database;
using Throttled.Journal.Loop;
using Throttled.Journal.Permits;

namespace Throttled.Journal;

/// <summary>What a simulation or an actor system overrides.</summary>
internal sealed record EngineOverrides
{
    internal ILoopScheduler Scheduler { get; init; } = new ThreadPoolScheduler();

    internal Random Random { get; init; } = Random.Shared;

    /// <summary>Processors of this machine.</summary>
    internal int Processors { get; init; } = Environment.ProcessorCount;

    /// <summary>How many keys one poll of the tail reads.</summary>
    internal int KeysPerPoll { get; init; } = 10_000;

    /// <summary>What the queries of a journal that is closed fail with.</summary>
    internal Func<Exception> Closed { get; init; } = () => new ObjectDisposedException(nameof(JournalReader));

    /// <summary>
    /// Called when a defect has ended all queries, with the exception that they failed with. The callee disposes this engine and opens another. Null if users do that.
    /// </summary>
    internal Action<Func<Exception>>? Ended { get; init; }

    /// <summary>How the user knows the journal; null for <see cref="JournalNaming.Of"/>.</summary>
    internal JournalNaming? Naming { get; init; }

    /// <summary>Makes the permit source; null for <see cref="LocalPermits"/>.</summary>
    internal Func<JournalContext, IPermitSource>? Permits { get; init; }
}
