using System.Text;
using System.Text.RegularExpressions;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>The plugin's names of the engine's options, so that the engine's messages name a setting as the user wrote it.</summary>
internal sealed partial class SettingNames(string path, string mapping)
{
    private static readonly Dictionary<string, string> OfTables = new()
    {
        [nameof(JournalTables.Schema)] = "schema-name",
        [nameof(JournalTables.JournalTable)] = "journal.table-name",
        [nameof(JournalTables.OrderingColumn)] = "journal.columns.ordering",
        [nameof(JournalTables.DeletedColumn)] = "journal.columns.deleted",
        [nameof(JournalTables.PersistenceIdColumn)] = "journal.columns.persistence-id",
        [nameof(JournalTables.SequenceNumberColumn)] = "journal.columns.sequence-number",
        [nameof(JournalTables.TimestampColumn)] = "journal.columns.created",
        [nameof(JournalTables.TagsColumn)] = "journal.columns.tags",
        [nameof(JournalTables.PayloadColumn)] = "journal.columns.message",
        [nameof(JournalTables.SerializerIdColumn)] = "journal.columns.identifier",
        [nameof(JournalTables.ManifestColumn)] = "journal.columns.manifest",
        [nameof(JournalTables.TagTable)] = "tag.table-name",
        [nameof(JournalTables.TagOrderingColumn)] = "tag.columns.ordering-id",
        [nameof(JournalTables.TagColumn)] = "tag.columns.tag-value",
        [nameof(JournalTables.TagPersistenceIdColumn)] = "tag.columns.persistence-id",
        [nameof(JournalTables.TagSequenceNumberColumn)] = "tag.columns.sequence-nr",
    };

    // Name is the path of the section, the keys of Tables are above, and HOCON cannot hold a logger or a clock.
    private static readonly HashSet<string> OfOptions =
    [
        .. typeof(JournalOptions).GetProperties().Select(each => each.Name).Except(
            [nameof(JournalOptions.Name), nameof(JournalOptions.Tables), nameof(JournalOptions.LoggerFactory), nameof(JournalOptions.TimeProvider)]),
        nameof(JournalTables.TagSeparator), nameof(JournalTables.TagMode),
    ];

    /// <summary>The keys of a layout, by the names of the engine's properties.</summary>
    internal static IReadOnlyDictionary<string, string> LayoutKeys => OfTables;

    /// <summary>The key of the layout that the tables have.</summary>
    internal string Layout => mapping;

    /// <summary>The full name of the setting of an option.</summary>
    internal string Of(string option) => option switch
    {
        nameof(JournalTables.TagMode) => $"{path}.tag-read-mode",
        nameof(JournalOptions.OnLargePayload) => $"{path}.on-undecodable-event",
        _ when OfTables.TryGetValue(option, out var key) => $"{path}.{mapping}.{key}",
        _ => $"{path}.{Kebab(option)}",
    };

    /// <summary>Replaces the names of options in a message of the engine by the names of settings.</summary>
    internal string Translate(string message) => Quoted().Replace(message, match => IsOption(match.Groups[1].Value) ? $"'{Of(match.Groups[1].Value)}'" : match.Value);

    private static bool IsOption(string name) => OfTables.ContainsKey(name) || OfOptions.Contains(name);

    private static string Kebab(string option)
    {
        var key = new StringBuilder();
        foreach (var letter in option)
        {
            if (char.IsUpper(letter) && key.Length > 0)
                key.Append('-');
            key.Append(char.ToLowerInvariant(letter));
        }
        return key.ToString();
    }

    // Messages quote tags and ids too, and a user's tag or id may equal the name of an option.
    [GeneratedRegex("(?<!the tag |the events of )'([A-Z][A-Za-z]+)'")]
    private static partial Regex Quoted();
}
