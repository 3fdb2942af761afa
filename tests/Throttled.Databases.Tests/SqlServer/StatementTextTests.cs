using Throttled.Testing;
using Throttled.Journal.Sharding;

namespace Throttled.Journal.SqlServer.Tests;

public class StatementTextTests
{
    [Fact]
    public void Each_statement_is_the_one_that_was_approved()
    {
        var texts = new StatementTexts("SQL Server");
        texts.Case("whatever the tables")
            .AddAll(typeof(SqlServerServerStatements))
            .Add("SqlServerSchema.TakeTurns", SqlServerSchema.TakeTurns)
            .Add("SqlServerStaging.Create", SqlServerStaging.Create)
            .Add("SqlServerStaging.IsIdentity", SqlServerStaging.IsIdentity);
        Journal(texts.Case("default layout, tag table"), JournalTables.Default);
        Journal(texts.Case("layout of Akka.Persistence.SqlServer, tags in a column"), JournalTables.SqlServer);
        Journal(texts.Case("layout of Akka.Persistence.SqlServer, tag table"), JournalTables.SqlServer with { TagMode = TagMode.TagTable });
        Journal(texts.Case("odd names"), StatementTables.OddNames);
        Journal(texts.Case("a table with the name of a list"), JournalTables.Default with { JournalTable = "ids" });
        texts.Case("default layout, payloads above 1,000 bytes left out").AddAll(new SqlServerStatements(JournalTables.Default, maxPayloadBytes: 1000));
        texts.Case("default layout, columns whose collation is known").AddAll(Compared(isUnicode: true));
        texts.Case("default layout, columns of varchar").AddAll(Compared(isUnicode: false));
        ApprovedStatements.Check(GetType().Assembly, "sqlserver.sql", texts);
    }

    private static SqlServerStatements Compared(bool isUnicode)
    {
        var statements = new SqlServerStatements(JournalTables.Default);
        var text = new SqlServerText(isUnicode, "SQL_Latin1_General_CP1_CI_AS");
        statements.CompareAs(text, text);
        return statements;
    }

    private static void Journal(StatementTexts texts, JournalTables tables)
    {
        var staging = new SqlServerStaging(tables);
        texts.AddAll(new SqlServerStatements(tables))
            .AddAll(new StampStatements(new SqlServerDialect(), tables))
            .Add("SqlServerSchema.Create", new SqlServerSchema(tables).Create())
            .Add("SqlServerStaging.MoveEvents", staging.MoveEvents());
        if (tables.TagMode == TagMode.TagTable)
            texts.Add("SqlServerStaging.MoveEventsAndTags", staging.MoveEventsAndTags());
    }
}
