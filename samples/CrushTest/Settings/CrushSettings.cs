using CrushTest.Databases;
using Throttled.Journal;

namespace CrushTest.Settings;

/// <summary>What to crush, and how hard.</summary>
internal sealed record CrushSettings
{
    /// <summary>Persistence ids, and live queries.</summary>
    public required int Streams { get; init; }

    /// <summary>Events of each.</summary>
    public required int Events { get; init; }

    /// <summary>Rows that one query reads at a time, of the engine and of the floor.</summary>
    public required int Page { get; init; }

    /// <summary>Statements that may run at once on a database.</summary>
    public required int Permits { get; init; }

    /// <summary>What the databases are.</summary>
    public required CrushKind Kind { get; init; }

    /// <summary>Databases that the journal is divided among.</summary>
    public int Shards { get; init; } = 1;

    /// <summary>Where each of them is; none for files that the crush test makes.</summary>
    public IReadOnlyList<string> Connections { get; init; } = [];

    /// <summary>How long the idle queries are watched.</summary>
    public required TimeSpan Idle { get; init; }

    /// <summary>Whether the result is printed as one JSON object, and nothing else.</summary>
    public bool Json { get; init; }

    /// <summary>What stands in the events.</summary>
    public CrushPayload Payload { get; init; } = CrushPayload.Deposit;

    /// <summary>How often the idle journal is looked at.</summary>
    public TimeSpan RefreshInterval { get; init; } = new JournalOptions().RefreshInterval;

    /// <summary>The databases, in the order of the shards.</summary>
    internal IReadOnlyList<CrushPlace> Places =>
        [.. Enumerable.Range(0, Shards).Select(shard => new CrushPlace(Connections.ElementAtOrDefault(shard), Name(shard)))];

    internal long AllEvents => (long)Streams * Events;

    // With its place, so that no other division of the same size finds what is not its own.
    private string Name(int shard) => $"{Streams}x{Events}{Payload.Suffix}" + (Shards > 1 ? $"_{shard}of{Shards}" : "");
}
