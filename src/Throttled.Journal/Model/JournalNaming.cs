namespace Throttled.Journal;

/// <summary>The user's names for a journal and its settings.</summary>
internal sealed record JournalNaming
{
    /// <summary>The beginning of each log message; empty if the log already shows which journal it is.</summary>
    internal string Prefix { get; init; } = "";

    /// <summary>The setting that locates the journal, as in <c>'orders.connection-string'</c>; null if only the caller knows it.</summary>
    internal string? Connection { get; init; }

    /// <summary>Replaces the names of options in a message by the names of the user's settings.</summary>
    internal Func<string, string> In { get; init; } = message => message;

    /// <summary>The naming of a reader that was opened with options. Log messages begin with the journal's name unless it is the default.</summary>
    internal static JournalNaming Of(JournalOptions options) =>
        options.Name == new JournalOptions().Name ? new() : new() { Prefix = $"Journal '{options.Name}': " };
}
