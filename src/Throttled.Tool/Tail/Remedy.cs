using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>Says what to do after a query has failed, with the names of the command line's options.</summary>
internal static class Remedy
{
    internal static string For(JournalException error, TailSettings settings) =>
        $"{Sentence.Of(OptionNames.In(error.Message))} {(error is JournalRewoundException ? Rewound(settings) : $"Check {Listed(Options(settings))}.")}";

    private static string Rewound(TailSettings settings) => settings.Resume is { } file
        ? $"--resume is '{file}', with a position from before the rewind: delete it, and start again from the first event or with --after."
        : "Start again from the first event or with --after.";

    private static IEnumerable<string> Options(TailSettings settings)
    {
        yield return settings.Source;
        yield return "--layout";
        yield return "--journal-table";
        // Every event comes with its tags, whatever the query, so the tag options count for all events.
        if (settings.Selection is Selection.Events)
            yield return "--tag-mode";
        if (settings.Selection is Selection.Events && settings.Tables.TagMode == TagMode.TagTable)
            yield return "--tag-table";
        if (settings.Database != OptionText.Sqlite)
            yield return "--schema";
    }

    private static string Listed(IEnumerable<string> options)
    {
        var all = options.ToList();
        return $"{string.Join(", ", all[..^1])} and {all[^1]}";
    }
}

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
