using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql.Tests;

public class StatementTextTests
{
    private const int MaxPayloadBytes = 1000;

    [Fact]
    public void Each_statement_equals_the_approved_one()
    {
        var texts = new StatementTexts("PostgreSQL");
        Server(texts.Case("whatever the tables"));
        Journal(texts.Case("default layout, tag table"), JournalTables.Default);
        Journal(texts.Case("layout of Akka.Persistence.PostgreSql, tags in a column"), JournalTables.PostgreSql);
        Journal(texts.Case("odd names"), StatementTables.OddNames);
        Journal(texts.Case("a table with the name of a list"), JournalTables.Default with { JournalTable = "ids" });
        var limited = new PostgreSqlJournalSql(JournalTables.Default, MaxPayloadBytes);
        texts.Case("default layout, payloads above 1,000 bytes left out").AddAll(limited);
        limited = new PostgreSqlJournalSql(JournalTables.PostgreSql, MaxPayloadBytes);
        limited.ReadPayloadsOf("jsonb");
        texts.Case("layout of Akka.Persistence.PostgreSql, payloads of jsonb above 1,000 bytes left out").AddAll(limited);
        ApprovedStatements.Check(GetType().Assembly, "postgresql.sql", texts);
    }

    private static void Server(StatementTexts texts) => texts
        .Add("PostgreSqlSessionSetup.Settings", PostgreSqlSessionSetup.Settings(new()))
        .AddAll(typeof(PostgreSqlSessionSetup))
        .Add("PostgreSqlSession.Limit", PostgreSqlSession.Limit(new()))
        .AddAll(typeof(PostgreSqlSession))
        .Add("PostgreSqlListener.Listen", PostgreSqlListener.Listen)
        .AddAll(typeof(PostgreSqlCatalogSql))
        .Add("PostgreSqlCatalogSql.LastIssued", PostgreSqlCatalogSql.LastIssued("public.\"journal_ordering_seq\""))
        .AddAll(typeof(PostgreSqlSchema));

    private static void Journal(StatementTexts texts, JournalTables tables)
    {
        var schema = new PostgreSqlSchema(tables);
        texts.AddAll(new PostgreSqlJournalSql(tables))
            .AddAll(new ShardMarkSql(new PostgreSqlDialect(), tables))
            .Add("PostgreSqlSchema.Create", schema.Create())
            .Add("PostgreSqlSchema.CopyEvents", schema.CopyEvents(withOrdering: false))
            .Add("PostgreSqlSchema.CopyEvents, with orderings", schema.CopyEvents(withOrdering: true));
        if (tables.TagMode == TagMode.TagTable)
            texts.Add("PostgreSqlSchema.CopyTags", schema.CopyTags());
    }
}
