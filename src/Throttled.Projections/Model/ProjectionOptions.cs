using Microsoft.Extensions.Logging;
using Throttled.Journal;

namespace Throttled.Projections;

/// <summary>How a projection runs. The defaults suit one that follows; replays like larger batches.</summary>
public sealed record ProjectionOptions
{
    /// <summary>
    /// The projection's name, from 1 to 200 characters: that of its offsets, and of its read model until a rebuild takes its place. Processes
    /// with the same name and read model database share the lanes.
    /// </summary>
    public required string Name { get; init; }

    /// <summary>Which events are handled; all by default. Fixed with the first start: another source needs another name.</summary>
    public ProjectionSource Source { get; init; } = ProjectionSource.All;

    /// <summary>
    /// Lanes that work at once over all processes, each with its own transactions and its own share of the persistence ids. From 1 to 1,024
    /// and not above the slices of <see cref="Source"/>; 8 by default. It counts when the read model is made, and is stored with it: a process that is given
    /// another number later runs with the stored one and logs that. <see cref="ProjectionControl.SetLanesAsync"/> changes it. Over a sharded journal no lane
    /// has events of two shards, and a number below that of the shards that have slices of <see cref="Source"/> is raised to it.
    /// </summary>
    public int Lanes { get; init; } = 8;

    /// <summary>Events in a transaction at most. From 1 to 100,000; 500 by default.</summary>
    public int BatchSize { get; init; } = 500;

    /// <summary>
    /// How long a batch that is not full waits for more events. From 0 to 1 min; 50 ms by default, and ten times that where
    /// its first event is older than 10 s, as in a replay, when nobody waits for a single event.
    /// </summary>
    public TimeSpan BatchAge { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>
    /// Bytes of stored events in memory in this process, over all its lanes and for each read model that is written: twice that while one is rebuilt.
    /// What the decoder makes of them is not counted. A lane always may hold one page. At least 1; 64 MiB by default. At the bound reading waits.
    /// </summary>
    public long MaxBufferedBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>What becomes of an event that still fails after <see cref="MaxAttempts"/>; <see cref="FailurePolicy.Stop"/> by default. Whatever it says,
    /// a lane stops where the database refuses the handler's statement itself (no such table or column, no right to it): it would with every event.</summary>
    public FailurePolicy OnFailure { get; init; } = FailurePolicy.Stop;

    /// <summary>
    /// How often an event is tried before it counts as failed, with growing pauses from 100 ms to 5 s between. From 1 to 1,000; 5 by default. While
    /// it is tried again its lane stands, and what is read for the lane may fill its share of <see cref="MaxBufferedBytes"/>.
    /// </summary>
    public int MaxAttempts { get; init; } = 5;

    /// <summary>
    /// Dead letters, with the events that queue behind them, that the projection keeps at most; past that a lane stops instead of keeping more,
    /// because something else is wrong then. At least 1; 100,000 by default. Each lane may hold its share.
    /// </summary>
    public int MaxDeadLetters { get; init; } = 100_000;

    /// <summary>
    /// For how long a process claims lanes before it has to renew; when it dies, others take them over after that. From 1 s to 1 h; 10 s by
    /// default. Nothing is lost or doubled where it is too short: offsets are moved only by who knows them. The time is the database's clock: where that
    /// jumps back, the lanes of a process that died before stay without one for as long as it jumped, and for two hours at most.
    /// </summary>
    public TimeSpan LeaseDuration { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Makes an object of a stored event; null passes the event over, which is counted, and logged once for each manifest. By default the payload is read as
    /// JSON into a <see cref="System.Text.Json.JsonElement"/>; <see cref="JsonEvents"/> makes types of it. There is no default for events that Akka.NET has
    /// serialized: lanes stop at the first of them, and <c>ThrottledReadJournal.PayloadDecoder</c> reads them. What it throws is a failure of that event. Called
    /// by several threads at once.
    /// </summary>
    public Func<JournalEvent, object?>? Decoder { get; init; }

    /// <summary>
    /// What this process is called among those that share the lanes, from 1 to 200 characters and no other's; its machine, its number and a
    /// random part by default. Two that run under the same name take the lanes for their own and fence each other, again and again: give none that several
    /// share, as that of a deployment.
    /// </summary>
    public string? ProcessName { get; init; }

    /// <summary>Where the projection logs to, under <c>Throttled.Projections</c>; nowhere by default.</summary>
    public ILoggerFactory? LoggerFactory { get; init; }

    /// <summary>The clock and the timers; the system's by default.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}

/// <summary>Refuses options that cannot work.</summary>
internal static class ProjectionOptionsValidation
{
    private const int MaxNameLength = 200;

    private static readonly OptionCheck Check = new(name => name);

    /// <exception cref="ArgumentException">A value is out of its range.</exception>
    internal static void Validate(this ProjectionOptions options)
    {
        Name(nameof(options.Name), options.Name, hasDefault: false);
        Check.Given(nameof(options.Source), options.Source);
        Check.Given(nameof(options.TimeProvider), options.TimeProvider);
        if (options.ProcessName is { } process)
            Name(nameof(options.ProcessName), process, hasDefault: true);
        Lanes(options);
        Check.Between(nameof(options.BatchSize), options.BatchSize, 1, 100_000);
        Check.Between(nameof(options.BatchAge), options.BatchAge, TimeSpan.Zero, TimeSpan.FromMinutes(1));
        Check.Between(nameof(options.MaxBufferedBytes), options.MaxBufferedBytes, 1, long.MaxValue);
        Check.Defined(nameof(options.OnFailure), options.OnFailure);
        Check.Between(nameof(options.MaxAttempts), options.MaxAttempts, 1, 1_000);
        Check.Between(nameof(options.MaxDeadLetters), options.MaxDeadLetters, 1, int.MaxValue);
        Check.Between(nameof(options.LeaseDuration), options.LeaseDuration, TimeSpan.FromSeconds(1), TimeSpan.FromHours(1));
    }

    private static void Lanes(ProjectionOptions options)
    {
        Check.Between(nameof(options.Lanes), options.Lanes, 1, JournalSlices.Count);
        var slices = options.Source.LastSlice - options.Source.FirstSlice + 1;
        if (options.Lanes > slices)
            throw new ArgumentException(FormattableString.Invariant(
                $"'{nameof(options.Lanes)}' is {options.Lanes}; it must be at most {slices}, the slices of '{nameof(options.Source)}' ({options.Source})."));
    }

    private static void Name(string setting, string? value, bool hasDefault)
    {
        if (value?.Length > MaxNameLength)
            throw new ArgumentException(FormattableString.Invariant(
                $"'{setting}' has {value.Length} characters; it must have from 1 to {MaxNameLength}. Choose a shorter one."));
        Check.Name(setting, value, hasDefault);
    }
}

/// <summary>What becomes of an event that still fails after <see cref="ProjectionOptions.MaxAttempts"/>.</summary>
public enum FailurePolicy
{
    /// <summary>Its lane stops before it, and says so in status, log and health check; the other lanes go on. Resuming tries it again.</summary>
    Stop = 0,

    /// <summary>It is passed over and logged.</summary>
    Skip = 1,

    /// <summary>
    /// It is kept as a dead letter, and later events of the same persistence id queue behind it in order, until it is retried or discarded.
    /// </summary>
    DeadLetter = 2,
}
