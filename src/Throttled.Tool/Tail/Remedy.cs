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
