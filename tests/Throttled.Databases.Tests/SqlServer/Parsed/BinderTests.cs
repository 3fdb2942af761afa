using Microsoft.Data.SqlClient;
using Microsoft.SqlServer.Dac.Model;
using Microsoft.SqlServer.TransactSql.ScriptDom;
using Throttled.Journal.SqlServer.Tests.Contract;

namespace Throttled.Journal.SqlServer.Tests.Parsed;

/// <summary>Every name in a statement exists in Microsoft's own model of a database.</summary>
public sealed class BinderTests(BoundStatements bound) : IClassFixture<BoundStatements>
{
    private static readonly SqlServerJournalSql Statements = new(JournalTables.Default);

    [Fact]
    public void Every_name_in_every_statement_exists() =>
        None(bound.Journals.SelectMany(journal => journal.Complaints()));

    [Theory]
    [InlineData(SqlServerVersion.Sql140)]
    [InlineData(SqlServerVersion.Sql150)]
    [InlineData(SqlServerVersion.Sql160)]
    [InlineData(SqlServerVersion.Sql170)]
    [InlineData(SqlServerVersion.SqlAzure)]
    [Trait("Category", "Long")]
    public void Every_name_exists_in_later_versions_too(SqlServerVersion version)
    {
        foreach (var journal in BoundStatements.Bind(version))
        {
            using (journal)
                None(journal.Complaints());
        }
    }

    [Fact]
    public void Statements_read_only_the_system_views_of_the_catalog() => Assert.Equal(
        Listed().Select(column => column.Name).Append("sys.dm_exec_sql_text.text").Order(StringComparer.Ordinal),
        bound.Journals.SelectMany(journal => journal.ReadOfServer()).Distinct().Order(StringComparer.Ordinal));

    [RealServerFact("its views are made from PostgreSQL's")]
    public async Task The_server_has_the_columns_of_the_catalog()
    {
        await using var connection = new SqlConnection(SqlServerTests.ConnectionString);
        await connection.OpenAsync();
        foreach (var (name, type) in Listed())
        {
            var at = name.LastIndexOf('.');
            var found = await connection.ScalarAsync<string>(
                $"SELECT TYPE_NAME(system_type_id) FROM sys.all_columns WHERE object_id = OBJECT_ID(N'{name[..at]}') AND name = N'{name[(at + 1)..]}'");
            Assert.Equal((name, type), (name, found));
        }
    }

    [Fact]
    public void The_table_of_the_older_plugin_has_the_columns_that_statements_read()
    {
        var older = StatementCase.All.First(one => one.Tables == JournalTables.SqlServer);
        using var journal = new BoundJournal(older.Tables, SqlServerVersion.Sql130, OlderPluginTests.Journal);
        journal.Add(older.Run());
        None(journal.Complaints());
    }

    [Fact]
    public void A_name_that_is_misspelt_is_found()
    {
        (string Sql, string Name, string Misspelt)[] texts =
        [
            (Statements.Page, "[deleted]", "[deleetd]"),
            (Statements.Page, "[journal]", "[jounral]"),
            (Statements.Pages, "x.place", "x.plaice"),
            (Statements.Pages, "r.most", "r.must"),
            (Statements.OrderedByTable, "t.o", "t.oo"),
            (Statements.Tags, "[tag]", "[Tag]"),
            (Statements.CreateTagIndex, "[ordering_id]", "[orderingid]"),
            (new SqlServerStaging(JournalTables.Default).MoveEventsAndTags(), "e.persistence_id", "e.persistenceid"),
            (SqlServerCatalogSql.OpenTransactions, "l.request_mode", "l.request_modus"),
            (SqlServerCatalogSql.Oldest, "sys.dm_exec_connections", "sys.dm_exec_connection"),
            (SqlServerSchema.TakeTurns, "@LockMode", "@Lockmode"),
        ];
        using var journal = new BoundJournal(JournalTables.Default, SqlServerVersion.Sql130);
        journal.Add(texts.Select(text => (text.Misspelt, text.Sql.Replace(text.Name, text.Misspelt, StringComparison.Ordinal))));
        var complaints = journal.Complaints();
        Assert.All(texts, text => Assert.Contains(complaints, complaint => complaint.Contains($"[dbo].[{text.Misspelt.Replace("]", "]]")}]", StringComparison.Ordinal)));
    }

    // Assert.Empty would truncate the messages.
    private static void None(IEnumerable<string> complaints)
    {
        var all = string.Join('\n', complaints);
        Assert.True(all.Length == 0, all);
    }

    private static IEnumerable<(string Name, string Type)> Listed() =>
        from table in Script.Of(Script.Embedded(BoundJournal.Catalog)).All<CreateTableStatement>()
        let name = $"{table.SchemaObjectName.SchemaIdentifier.Value}.{table.SchemaObjectName.BaseIdentifier.Value}"
        from column in table.Definition.ColumnDefinitions
        select ($"{name}.{column.ColumnIdentifier.Value}", column.DataType.Name.BaseIdentifier.Value.ToLowerInvariant());
}
