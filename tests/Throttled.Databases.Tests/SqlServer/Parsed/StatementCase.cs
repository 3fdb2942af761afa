using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer.Tests.Parsed;

/// <summary>The statements for one layout of tables.</summary>
/// <param name="Title">The layout's name.</param>
/// <param name="Tables">The tables.</param>
/// <param name="Add">Adds the texts.</param>
internal sealed record StatementCase(string Title, JournalTables Tables, Action<StatementTexts> Add)
{
    private static readonly string[] OfTagColumn = ["SqlServerJournalSql.OrderedByColumn", "SqlServerJournalSql.TaggedKeys."];

    private static readonly string[] OfTagTable =
    [
        "SqlServerJournalSql.OrderedByTable", "SqlServerJournalSql.FromEndByTable", "SqlServerJournalSql.Tags", "SqlServerJournalSql.FirstTagged",
        "SqlServerJournalSql.TagColumns", "SqlServerJournalSql.CreateTagIndex",
    ];

    private static readonly string[] Names =
        ["SqlServerJournalSql.JournalTable", "SqlServerJournalSql.TagTable", "ShardMarkSql.Journal", "ShardMarkSql.Table"];

    internal static IReadOnlyList<StatementCase> All { get; } =
    [
        new("whatever the tables", JournalTables.Default, texts => texts
            .AddAll(typeof(SqlServerCatalogSql))
            .Add("SqlServerSchema.TakeTurns", SqlServerSchema.TakeTurns)
            .Add("SqlServerStaging.Create", SqlServerStaging.Create)
            .Add("SqlServerStaging.IsIdentity", SqlServerStaging.IsIdentity)),
        OfJournal("default layout, tag table", JournalTables.Default),
        OfJournal("layout of Akka.Persistence.SqlServer, tags in a column", JournalTables.SqlServer),
        OfJournal("layout of Akka.Persistence.SqlServer, tag table", JournalTables.SqlServer with { TagMode = TagMode.TagTable }),
        OfJournal("odd names", StatementTables.OddNames),
        OfJournal("a table with the name of a list", JournalTables.Default with { JournalTable = "ids" }),
        new("default layout, payloads above 1,000 bytes left out", JournalTables.Default,
            texts => texts.AddAll(new SqlServerJournalSql(JournalTables.Default, maxPayloadBytes: 1000))),
        new("default layout, columns whose collation is known", JournalTables.Default, texts => texts.AddAll(Compared(isUnicode: true))),
        new("default layout, columns of varchar", JournalTables.Default, texts => texts.AddAll(Compared(isUnicode: false))),
    ];

    /// <summary>The scripts in the documentation. They use the names of Akka.Persistence.SqlServer's layout, with a tag table.</summary>
    internal static IReadOnlyList<(string Name, string Sql)> Documented { get; } =
        [.. new[] { "index-sqlserver.sql", "reader-sqlserver.sql" }.Select(name => (name, Script.Embedded(name)))];

    /// <summary>The statements that run on these tables, by name. The others are for tags that are stored elsewhere.</summary>
    internal IEnumerable<(string Name, string Sql)> Run()
    {
        var texts = new StatementTexts("SQL Server").Case(Title);
        Add(texts);
        var others = Tables.TagMode == TagMode.Csv ? OfTagTable : OfTagColumn;
        return texts.All.Where(text => !Names.Contains(text.Name) && !others.Any(other => text.Name.StartsWith(other, StringComparison.Ordinal)));
    }

    private static StatementCase OfJournal(string title, JournalTables tables) => new(title, tables, texts =>
    {
        var staging = new SqlServerStaging(tables);
        texts.AddAll(new SqlServerJournalSql(tables))
            .AddAll(new ShardMarkSql(new SqlServerDialect(), tables))
            .Add("SqlServerSchema.Create", new SqlServerSchema(tables).Create())
            .Add("SqlServerStaging.MoveEvents", staging.MoveEvents());
        if (tables.TagMode == TagMode.TagTable)
            texts.Add("SqlServerStaging.MoveEventsAndTags", staging.MoveEventsAndTags());
    });

    private static SqlServerJournalSql Compared(bool isUnicode)
    {
        var sql = new SqlServerJournalSql(JournalTables.Default);
        var text = new SqlServerText(isUnicode, "SQL_Latin1_General_CP1_CI_AS");
        sql.CompareAs(text, text);
        return sql;
    }
}
