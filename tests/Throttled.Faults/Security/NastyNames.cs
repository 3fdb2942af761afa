using System.Text;

namespace Throttled.Faults.Security;

/// <summary>Layouts with random names that could break out of their quotes.</summary>
internal static class NastyNames
{
    private const int MostBytes = 63;

    // Parts of names: parameters of all drivers, comments, ends of quotes, and names that statements use themselves.
    private static readonly string[] Alphabet =
    [
        "\"", "'", "`", "[", "]", "\\", ";", "--", "/*", "*/", "%", "%s", "$", "$1", "$$", "?", "?1", "@p", ":p", "{0}", "(", ")", ",", ".",
        " ", "\t", "\n", "\r", "\u0001", "\u007f", "\ufeff", "\u202e", "é", "e\u0301", "İ", "ß", "漢", "𝒳", "\ufffd",
        "a", "Z", "9", "_", "\"; DROP TABLE sentinel; --", "U&\"", "E'", "x'", "SELECT", "NULL", "\".\"", "sentinel",
    ];

    // Single letters and short words that a statement may use as an alias.
    private static readonly string[] Words =
        ["r", "t", "i", "e", "n", "o", "s", "id", "f", "m", "j", "ids", "live", "member", "user", "order", "each", "name", "journal_row2"];

    internal static JournalTables Of(Random random, TagMode tags)
    {
        var taken = new HashSet<string>(StringComparer.OrdinalIgnoreCase) { "sentinel" };
        string Next() => Draw(random, taken);
        return new()
        {
            Schema = Next(),
            JournalTable = Next(),
            OrderingColumn = Next(),
            DeletedColumn = Next(),
            PersistenceIdColumn = Next(),
            SequenceNumberColumn = Next(),
            TimestampColumn = Next(),
            PayloadColumn = Next(),
            SerializerIdColumn = Next(),
            ManifestColumn = Next(),
            WriterUuidColumn = Next(),
            TagsColumn = Next(),
            TagTable = Next(),
            TagOrderingColumn = Next(),
            TagColumn = Next(),
            TagSequenceNumberColumn = Next(),
            TagPersistenceIdColumn = Next(),
            TagMode = tags,
            TagSeparator = ";,|'\"\\%_$ß漢\t"[random.Next(12)],
        };
    }

    private static string Draw(Random random, HashSet<string> taken)
    {
        while (true)
        {
            var name = random.Next(4) == 0 ? Words[random.Next(Words.Length)] : Text(random);
            if (taken.Add(name))
                return name;
        }
    }

    private static string Text(Random random)
    {
        var text = new StringBuilder();
        for (var i = random.Next(1, 30); i > 0; i--)
        {
            var letter = Alphabet[random.Next(Alphabet.Length)];
            if (Encoding.UTF8.GetByteCount(text + letter) <= MostBytes)
                text.Append(letter);
        }
        return text.ToString();
    }
}
