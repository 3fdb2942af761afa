namespace Throttled.Journal;

/// <summary>How the user knows a journal and its settings.</summary>
internal sealed record JournalNaming
{
    /// <summary>What log messages begin with; empty where the log shows which journal it is.</summary>
    internal string Prefix { get; init; } = "";

    /// <summary>What says where the journal is, as in <c>'orders.connection-string'</c>; null where only the caller knows.</summary>
    internal string? Connection { get; init; }

    /// <summary>Puts the names of the user's settings in the place of the options' names in a message.</summary>
    internal Func<string, string> In { get; init; } = message => message;

    /// <summary>The naming of a reader that was opened with options: log messages have its name, unless it is the default.</summary>
    internal static JournalNaming Of(JournalOptions options) =>
        options.Name == new JournalOptions().Name ? new() : new() { Prefix = $"Journal '{options.Name}': " };
}
