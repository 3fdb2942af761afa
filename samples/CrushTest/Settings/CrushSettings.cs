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

    /// <summary>Statements that may run at once.</summary>
    public required int Permits { get; init; }

    /// <summary>sqlite or postgres.</summary>
    public required string Database { get; init; }

    /// <summary>Where it is; null for the file that the crush test makes.</summary>
    public string? Connection { get; init; }

    /// <summary>How long the idle queries are watched.</summary>
    public required TimeSpan Idle { get; init; }

    /// <summary>Whether the result is printed as one JSON object, and nothing else.</summary>
    public bool Json { get; init; }

    /// <summary>What stands in the events.</summary>
    public CrushPayload Payload { get; init; } = CrushPayload.Deposit;

    /// <summary>How often the idle journal is looked at.</summary>
    public TimeSpan RefreshInterval { get; init; } = new JournalOptions().RefreshInterval;

    /// <summary>In the names of files and tables.</summary>
    internal string Size => $"{Streams}x{Events}{Payload.Suffix}";

    internal long AllEvents => (long)Streams * Events;
}
