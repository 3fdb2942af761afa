using Microsoft.Extensions.Logging;

namespace Throttled.Projections;

/// <summary>How a projection runs. The defaults suit a projection that follows the journal; a replay is faster with larger batches.</summary>
public sealed record ProjectionOptions
{
    /// <summary>
    /// The projection's name, from 1 to 200 characters; it does not end in a blank or begin with #. Its offsets are stored under this name, and its read
    /// model has this name until a rebuild replaces it. Processes with the same name and read model database share the lanes.
    /// </summary>
    public required string Name { get; init; }

    /// <summary>Which events are handled; all by default. Fixed at the first start: another source needs another name.</summary>
    public ProjectionSource Source { get; init; } = ProjectionSource.All;

    /// <summary>
    /// Where the read model begins; <see cref="ProjectionStart.FirstEvent"/> by default. Only the process that creates the read model uses it. The
    /// start is stored then, and a later change has no effect. A rebuild and a reset to the start begin there too.
    /// </summary>
    public ProjectionStart StartAt { get; init; } = ProjectionStart.FirstEvent;

    /// <summary>
    /// The number of lanes over all processes. Each lane works in parallel, with its own transactions and its own share of the persistence ids. From
    /// 1 to 1,024 and not above the number of slices of <see cref="Source"/>; 8 by default. It is stored when the read model is created. A process
    /// that is given another number later runs with the stored one and logs that. <see cref="ProjectionControl.SetLanesAsync"/> changes it. Over a
    /// sharded journal, a lane has events of one shard only. A number below that of the shards that have slices of <see cref="Source"/> is raised to
    /// it.
    /// </summary>
    public int Lanes { get; init; } = 8;

    /// <summary>The maximum number of events in a transaction. From 1 to 100,000; 500 by default.</summary>
    public int BatchSize { get; init; } = 500;

    /// <summary>
    /// How long a batch that is not full waits for more events. From 0 to 1 min; 50 ms by default. Ten times that if its first event is older than 10
    /// s, as in a replay, where the delay of a single event does not matter.
    /// </summary>
    public TimeSpan BatchAge { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>
    /// The maximum bytes of stored events in memory in this process, over all lanes of a read model. The limit applies to each read model that is
    /// written: during a rebuild the process may hold twice as much. Decoded objects are not counted. Each lane may always hold one page. At least 1;
    /// 64 MiB by default. At the limit, reading waits.
    /// </summary>
    public long MaxBufferedBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>
    /// What happens to an event that still fails after <see cref="MaxAttempts"/>; <see cref="FailurePolicy.Stop"/> by default. With any policy, a
    /// lane stops if the database refuses the handler's statement itself (no such table or column, or a missing right), because every event would
    /// fail.
    /// </summary>
    public FailurePolicy OnFailure { get; init; } = FailurePolicy.Stop;

    /// <summary>
    /// How often an event is tried before it counts as failed, with growing pauses from 100 ms to 5 s. From 1 to 1,000; 5 by default. Meanwhile its
    /// lane handles nothing else, and what is read for the lane may fill its share of <see cref="MaxBufferedBytes"/>.
    /// </summary>
    public int MaxAttempts { get; init; } = 5;

    /// <summary>
    /// The maximum number of dead letters of the projection, including the events that queue behind them. Above it a lane stops instead of storing
    /// more, because something else is probably wrong. At least 1; 100,000 by default. Each lane may hold its share.
    /// </summary>
    public int MaxDeadLetters { get; init; } = 100_000;

    /// <summary>
    /// How long a process owns a lane without renewing its lease. If the process dies, others take over its lanes after this time. From 1 s to 1 h;
    /// 10 s by default. If it is too short, nothing is lost or doubled, because only a process that knows the current offset can move it. The time is
    /// measured by the database's clock. If that clock jumps back, lanes of a process that died before the jump have no owner for the length of the
    /// jump, at most two hours.
    /// </summary>
    public TimeSpan LeaseDuration { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Turns a stored event into an object. Called by several threads at the same time. If it returns null, the event is skipped; skipped events are
    /// counted, and logged once for each manifest. If it throws, that event has failed. By default the payload is read as JSON into a
    /// <see cref="System.Text.Json.JsonElement"/>; <see cref="JsonEvents"/> turns it into types. There is no default for events that Akka.NET has
    /// serialized: lanes stop at the first of them. <c>ThrottledReadJournal.PayloadDecoder</c> reads those.
    /// </summary>
    public Func<JournalEvent, object?>? Decoder { get; init; }

    /// <summary>
    /// The name of this process among those that share the lanes, from 1 to 200 characters. It must be unique. By default it is the machine's name,
    /// the process id and a random part. Two processes with the same name take over each other's lanes and fence each other again and again. Do not
    /// use a name that several processes share, such as that of a deployment.
    /// </summary>
    public string? ProcessName { get; init; }

    /// <summary>
    /// Which lanes this process runs; <see cref="LaneOwnership.Even"/> by default. Processes of one projection may have different ones, for example
    /// while an application changes from one to another.
    /// </summary>
    public LaneOwnership LaneOwnership { get; init; } = LaneOwnership.Even;

    /// <summary>Where the projection logs to, under <c>Throttled.Projections</c>; nowhere by default.</summary>
    public ILoggerFactory? LoggerFactory { get; init; }

    /// <summary>The clock and the timers; those of the system by default.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}

internal static class ProjectionOptionsValidation
{
    internal const int MaxNameLength = 200;

    internal static void Validate(this ProjectionOptions options)
    {
        new OptionCheck(name => name).Name(nameof(options.Name), options.Name, MaxNameLength, hasDefault: false);
        if (UnfitForTable(options.Name) is { } why)
            throw new ArgumentException($"'{nameof(options.Name)}' is \"{options.Name}\", which {why}. Choose another one.");
        // Many projections may be bound from one configuration, so the message names the one. The check puts the text in quotes.
        var check = new OptionCheck(name => $"{name}' of the projection '{options.Name}");
        check.Given(nameof(options.Source), options.Source);
        check.Given(nameof(options.StartAt), options.StartAt);
        check.Given(nameof(options.TimeProvider), options.TimeProvider);
        check.Given(nameof(options.LaneOwnership), options.LaneOwnership);
        if (options.ProcessName is { } process)
            check.Name(nameof(options.ProcessName), process, MaxNameLength);
        Lanes(check, options);
        check.Between(nameof(options.BatchSize), options.BatchSize, 1, 100_000);
        check.Between(nameof(options.BatchAge), options.BatchAge, TimeSpan.Zero, TimeSpan.FromMinutes(1));
        check.Between(nameof(options.MaxBufferedBytes), options.MaxBufferedBytes, 1, long.MaxValue);
        check.Defined(nameof(options.OnFailure), options.OnFailure);
        check.Between(nameof(options.MaxAttempts), options.MaxAttempts, 1, 1_000);
        check.Between(nameof(options.MaxDeadLetters), options.MaxDeadLetters, 1, int.MaxValue);
        check.Between(nameof(options.LeaseDuration), options.LeaseDuration, TimeSpan.FromSeconds(1), TimeSpan.FromHours(1));
    }

    /// <summary>Why a table cannot have the name; null if it can. SQL Server ignores blanks at the end, and a table with # is gone with its session.</summary>
    internal static string? UnfitForTable(string name) =>
        name.EndsWith(' ') ? "ends in a blank" : name.StartsWith('#') ? "begins with '#'" : null;

    private static void Lanes(OptionCheck check, ProjectionOptions options)
    {
        check.Between(nameof(options.Lanes), options.Lanes, 1, JournalSlices.Count);
        var slices = options.Source.LastSlice - options.Source.FirstSlice + 1;
        if (options.Lanes > slices)
            throw new ArgumentException(FormattableString.Invariant(
                $"'{nameof(options.Lanes)}' of the projection '{options.Name}' is {options.Lanes}; it must be at most {slices}, the slices of '{nameof(options.Source)}' ({options.Source})."));
    }
}

/// <summary>What happens to an event that still fails after <see cref="ProjectionOptions.MaxAttempts"/>.</summary>
public enum FailurePolicy
{
    /// <summary>The lane stops before the event, and status, log and health check report it. The other lanes continue. Resuming tries the event again.</summary>
    Stop = 0,

    /// <summary>The event is skipped and logged.</summary>
    Skip = 1,

    /// <summary>The event is stored as a dead letter. Later events of the same persistence id queue behind it in order, until it is retried or discarded.</summary>
    DeadLetter = 2,
}

/// <summary>A projection cannot start, or refuses a command. The message says why and what to do.</summary>
public sealed class ProjectionException : Exception
{
    internal ProjectionException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
