using Throttled.Journal;

namespace Tail.Settings;

/// <summary>What to read, and how to show it.</summary>
internal sealed record TailSettings
{
    /// <summary><c>sqlite</c> or <c>postgres</c>.</summary>
    public required string Database { get; init; }

    /// <summary>The connection string.</summary>
    public required string Connection { get; init; }

    public required JournalTables Tables { get; init; }

    public required Selection Selection { get; init; }

    /// <summary>The position after which to begin; 0 for the first event.</summary>
    public long After { get; init; }

    /// <summary>Whether to end at the journal end.</summary>
    public bool Current { get; init; }

    /// <summary>The file that stores the position; null for none.</summary>
    public string? Resume { get; init; }

    /// <summary>The largest number of items to print.</summary>
    public long Limit { get; init; } = long.MaxValue;

    /// <summary>Whether each line is a JSON object.</summary>
    public bool Json { get; init; }

    /// <summary>Whether whole lines are printed, even if the terminal is narrower.</summary>
    public bool Full { get; init; }
}
