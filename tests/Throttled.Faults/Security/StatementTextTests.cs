using System.Reflection;
using System.Text;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Relational;
using Throttled.Journal.Sqlite;

namespace Throttled.Faults.Security;

/// <summary>
/// A statement has names from the configuration only within quotes: if each quoted name is replaced by the name of its setting, the
/// statements of all layouts are equal.
/// </summary>
public sealed class StatementTextTests
{
    private const int Seeds = 200;

    private static readonly JournalTables Plain = Renamed();

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public void Statements_differ_only_within_quotes(TagMode tags)
    {
        var plain = Texts(Plain with { TagMode = tags }).Select(text => Skeleton(text, Plain)).ToList();
        Assert.True(plain.Count > 40, $"There are {plain.Count} statements.");
        for (var seed = 1; seed <= Seeds; seed++)
        {
            var tables = NastyNames.Of(new Random(seed), tags);
            var found = Texts(tables).Select(text => Skeleton(text, tables)).ToList();
            Assert.True(plain.SequenceEqual(found), $"Seed {seed}: {string.Join("\n", found.Except(plain))}");
        }
    }

    [Fact]
    public void The_test_finds_a_name_outside_of_quotes()
    {
        Assert.NotEqual(Skeleton("SELECT \"OrderingColumn\"", Plain), Skeleton("SELECT OrderingColumn", Plain));
        Assert.NotEqual(Skeleton("SELECT \"a\"\"; DROP\"", Plain), Skeleton("SELECT \"a\"; DROP\"", Plain));
    }

    private static List<string> Texts(JournalTables tables)
    {
        var schema = new PostgreSqlSchema(tables);
        var sqlite = new SqliteSchema(tables);
        return
        [
            .. Properties(new PostgreSqlJournalSql(tables)), .. schema.Create(), schema.CopyEvents(withOrdering: true), schema.CopyTags(),
            .. Properties(new SqliteJournalSql(tables)), .. sqlite.Create(), sqlite.InsertEvent(), sqlite.InsertTag(),
        ];
    }

    private static IEnumerable<string> Properties(object statements) => statements.GetType()
        .GetProperties(BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public)
        .OrderBy(property => property.Name, StringComparer.Ordinal)
        .Select(property => property.GetValue(statements))
        .SelectMany(value => value is KeySql keys ? [keys.From, keys.InGaps] : new[] { (string)value! });

    // Quoted names and texts of SQL, in which a quote is doubled.
    private static string Skeleton(string sql, JournalTables tables)
    {
        var settings = tables.Names().ToDictionary(each => each.Name, each => each.Setting);
        settings[PostgreSqlNames.TagIndex(tables.TagTable)] = settings[$"{tables.TagTable}_tag_ordering_idx"] = "index";
        var skeleton = new StringBuilder();
        for (var i = 0; i < sql.Length; i++)
        {
            if (sql[i] is not ('"' or '\''))
            {
                skeleton.Append(sql[i]);
                continue;
            }
            var quoted = Quoted(sql, ref i);
            skeleton.Append('<').Append(settings.GetValueOrDefault(quoted, quoted)).Append('>');
        }
        return skeleton.ToString();
    }

    /// <param name="sql">The statement.</param>
    /// <param name="i">The index of the first quote; then that of the last.</param>
    private static string Quoted(string sql, ref int i)
    {
        var (quote, text) = (sql[i], new StringBuilder());
        for (i++; i < sql.Length; i++)
        {
            if (sql[i] == quote && (i + 1 == sql.Length || sql[i + 1] != quote))
                return text.ToString();
            if (sql[i] == quote)
                i++;
            text.Append(sql[i]);
        }
        return $"unclosed {text}";
    }

    private static JournalTables Renamed() => NastyNames.Of(new Random(0), TagMode.TagTable) with
    {
        Schema = "Schema", JournalTable = "JournalTable", OrderingColumn = "OrderingColumn", DeletedColumn = "DeletedColumn",
        PersistenceIdColumn = "PersistenceIdColumn", SequenceNumberColumn = "SequenceNumberColumn", TimestampColumn = "TimestampColumn",
        PayloadColumn = "PayloadColumn", SerializerIdColumn = "SerializerIdColumn", ManifestColumn = "ManifestColumn",
        WriterUuidColumn = "WriterUuidColumn", TagsColumn = "TagsColumn", TagTable = "TagTable", TagOrderingColumn = "TagOrderingColumn",
        TagColumn = "TagColumn", TagSequenceNumberColumn = "TagSequenceNumberColumn", TagPersistenceIdColumn = "TagPersistenceIdColumn",
    };
}
