using Throttled.Journal.Relational;

namespace Throttled.Journal.Sqlite.Tests;

public class StatementTextTests
{
    [Fact]
    public void Each_statement_equals_the_approved_one()
    {
        var texts = new StatementTexts("SQLite");
        File(texts.Case("whatever the tables"));
        Journal(texts.Case("default layout, tag table"), JournalTables.Default);
        Journal(texts.Case("layout of Akka.Persistence.Sqlite, tags in a column"), JournalTables.Sqlite);
        Journal(texts.Case("odd names"), StatementTables.OddNames);
        Journal(texts.Case("a table with the name of a list"), JournalTables.Default with { JournalTable = "Persistence_Ids" });
        texts.Case("default layout, payloads above 1,000 bytes left out")
            .AddAll(new SqliteJournalSql(JournalTables.Default, maxPayloadBytes: 1000));
        ApprovedStatements.Check(GetType().Assembly, "sqlite.sql", texts);
    }

    private static void File(StatementTexts texts) => texts
        .AddAll(typeof(SqliteSession))
        .AddAll(typeof(SqliteAppender))
        .AddAll(typeof(SqliteJournalSql))
        .AddAll(typeof(SqliteNumbering))
        .AddAll(typeof(SqliteTagIndex));

    private static void Journal(StatementTexts texts, JournalTables tables)
    {
        var schema = new SqliteSchema(tables);
        texts.AddAll(new SqliteJournalSql(tables))
            .AddAll(new ShardMarkSql(new SqliteDialect(), tables))
            .Add("SqliteSchema.Create", schema.Create())
            .Add("SqliteSchema.InsertEvent", schema.InsertEvent());
        if (tables.TagMode == TagMode.TagTable)
            texts.Add("SqliteSchema.InsertTag", schema.InsertTag());
    }
}
