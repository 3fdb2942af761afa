namespace Throttled.Tool.Tail;

/// <summary>Messages of the engine name its settings. On the command line, they are options.</summary>
internal static class OptionNames
{
    // The command decides by itself whether it waits for a missing table, and how long a query may take.
    private static readonly (string Setting, string Option)[] Names =
    [
        (", or leave 'RequireTable' off to wait for it", ""), ("; 'RequireTable' makes them fail instead", ""), (" ('CurrentQueryTimeout')", ""),
        ("'JournalTable'", "--journal-table"), ("'TagTable'", "--tag-table"), ("'TagMode' to Csv", "--tag-mode to csv"), ("'TagMode'", "--tag-mode"), ("'Schema'", "--schema"),
    ];

    internal static string In(string message) => Names.Aggregate(message, (text, name) => text.Replace(name.Setting, name.Option, StringComparison.Ordinal));
}
