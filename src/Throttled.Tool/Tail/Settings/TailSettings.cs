using Throttled.Journal;

namespace Tail.Settings;

/// <summary>What to read, and how to show it.</summary>
internal sealed record TailSettings
{
    /// <summary>sqlite or postgres.</summary>
    public required string Database { get; init; }

    /// <summary>Where it is.</summary>
    public required string Connection { get; init; }

    public required JournalTables Tables { get; init; }

    public required Selection Selection { get; init; }

    /// <summary>The position behind which to begin; 0 for the first event.</summary>
    public long After { get; init; }

    /// <summary>Whether to end at the end of the journal.</summary>
    public bool Current { get; init; }

    /// <summary>The file that keeps the position; null for none.</summary>
    public string? Resume { get; init; }

    /// <summary>How many to print at most.</summary>
    public long Limit { get; init; } = long.MaxValue;

    /// <summary>Whether each line is a JSON object.</summary>
    public bool Json { get; init; }

    /// <summary>Whether lines are printed whole, however wide the terminal is.</summary>
    public bool Full { get; init; }
}
