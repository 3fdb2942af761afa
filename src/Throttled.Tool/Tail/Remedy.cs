using Throttled.Journal;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>What to do when a query has failed, in the words of the command line.</summary>
internal static class Remedy
{
    internal static string For(JournalException error, TailSettings settings) =>
        $"{Sentence.Of(error.Message)} {(error is JournalRewoundException ? Rewound(settings) : $"What is read is said by {Listed(Options(settings))}.")}";

    private static string Rewound(TailSettings settings) => settings.Resume is { } file
        ? $"--resume is '{file}', with a position in the journal as it was: delete it, and start again from the first event or with --after."
        : "Start again from the first event or with --after.";

    private static IEnumerable<string> Options(TailSettings settings)
    {
        yield return "--connection";
        yield return "--layout";
        yield return "--journal-table";
        // An event comes with its tags, whatever the query.
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
