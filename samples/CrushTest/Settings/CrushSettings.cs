using CrushTest.Databases;
using Throttled.Tool.CommandLine;

namespace CrushTest.Settings;

internal sealed record CrushSettings
{
    public required int Streams { get; init; }

    public required int Events { get; init; }

    /// <summary>Rows that one query reads at a time, of every reader and of the floor.</summary>
    public required int Page { get; init; }

    /// <summary>Statements that may run at once on a database.</summary>
    public required int Permits { get; init; }

    public required CrushKind Kind { get; init; }

    public int Shards { get; init; } = 1;

    /// <summary>A connection string for each database; none if the crush test creates files.</summary>
    public IReadOnlyList<string> Connections { get; init; } = [];

    public CrushPayload Payload { get; init; } = CrushPayload.Deposits;

    /// <summary>Whether actors have streams.</summary>
    public bool HasStreams { get; init; }

    /// <summary>Whether actors have subscriptions; if they have streams too, in a round of their own.</summary>
    public bool HasSubscriptions { get; init; }

    public int Rounds { get; init; } = 1;

    /// <summary>How long the idle queries are watched.</summary>
    public required TimeSpan Idle { get; init; }

    /// <summary>Whether the memory of idle streams is measured too.</summary>
    public bool Memory { get; init; }

    /// <summary>Time limit of each run of Akka.Persistence.Sql; null if it does not run.</summary>
    public TimeSpan? ExistingLimit { get; init; }

    /// <summary>Whether the result is printed as one JSON object, without other output.</summary>
    public bool Json { get; init; }

    /// <summary>Whether an actor follows each query. Otherwise the engine runs alone.</summary>
    internal bool HasActors => HasStreams || HasSubscriptions;

    /// <summary>What actors run in each round, in turn. The last one is the reader under test.</summary>
    internal IReadOnlyList<Part> ActorParts =>
        [.. HasSubscriptions ? [Part.Subscriptions] : (Part[])[], .. HasStreams ? [Part.Empty, Part.Streams] : (Part[])[]];

    /// <summary>The interval between polls of the idle journal.</summary>
    internal TimeSpan RefreshInterval => HasActors ? TimeSpan.FromSeconds(1) : new JournalOptions().RefreshInterval;

    /// <summary>The databases, in the order of the shards.</summary>
    internal IReadOnlyList<CrushPlace> Places => [.. Enumerable.Range(0, Shards).Select(Place)];

    internal long AllEvents => (long)Streams * Events;

    // The number of shards is part of the name, because a journal of two shards is not one of four.
    private CrushPlace Place(int shard)
    {
        var name = $"{Streams}x{Events}_{Payload.Name}";
        return Shards == 1
            ? new(Connections.ElementAtOrDefault(0), name, name)
            : new(Connections.ElementAtOrDefault(shard), $"{name}_{shard}of{Shards}", $"{name}_of{Shards}");
    }
}

/// <param name="Connection">Its connection string; null for the file that the crush test creates.</param>
/// <param name="Table">Part of the table names, which are the same in all databases.</param>
internal sealed record CrushPlace(string? Connection, string File, string Table);

/// <summary>An error that the user of the crush test can correct. The message says how.</summary>
internal sealed class CrushException(string message, Exception? inner = null) : CommandException(message, inner);
