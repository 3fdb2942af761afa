using Microsoft.SqlServer.Dac.Model;
using Microsoft.SqlServer.TransactSql.ScriptDom;
using Throttled.Journal.SqlServer.Tests.Parsed;
using Throttled.Projections.Tables;

namespace Throttled.Journal.SqlServer.Tests.ReadModels;

/// <summary>Every name in a statement of a read model exists in Microsoft's own model of a database.</summary>
public sealed class ReadModelBinderTests
{
    // What the statements use of the server's own, with the types of Microsoft's documentation.
    private const string Catalog =
        """
        CREATE TABLE sys.databases (database_id INT, name NVARCHAR(128), snapshot_isolation_state TINYINT, is_read_committed_snapshot_on BIT);
        GO
        CREATE TABLE sys.objects (object_id INT, schema_id INT, name NVARCHAR(128), type CHAR(2));
        GO
        CREATE PROCEDURE dbo.sp_getapplock @Resource NVARCHAR(255), @LockMode VARCHAR(32), @LockOwner VARCHAR(32) AS RETURN 0;
        """;

    [Fact]
    public void Every_name_in_every_statement_exists()
    {
        using var model = Tables();
        Add(model, ReadModelStatements.All.Except(Definitions()));
        None(Complaints(model));
    }

    [Fact]
    public void A_name_that_is_misspelt_is_found()
    {
        (string Name, string Misspelt)[] words =
        [
            ("l.lease_until", "l.lease_untill"), ("inserted.lane", "inserted.line"), ("deleted.unhandled", "deleted.handled"), ("r.wanted", "r.wnated"),
            ("FROM throttled_projection_dead_letter", "FROM throttled_projection_deadletter"), ("change.\"a Decimal\"", "change.\"a Dezimal\""), ("p.epoch", "p.epoc"),
        ];
        using var model = Tables();
        Add(model, words.Select(word => (word.Misspelt, ReadModelStatements.All.Except(Definitions()).First(text => text.Sql.Contains(word.Name, StringComparison.Ordinal)).Sql.Replace(word.Name, word.Misspelt, StringComparison.Ordinal))));
        var complaints = Complaints(model);
        Assert.All(words, word => Assert.Contains(complaints, complaint => complaint.Contains($"[dbo].[{word.Misspelt}]", StringComparison.Ordinal)));
    }

    // Created by these, so they cannot be in a procedure too.
    private static IEnumerable<(string Name, string Sql)> Definitions() => ReadModelStatements.All.Where(text => text.Sql.StartsWith("CREATE OR ALTER VIEW", StringComparison.Ordinal));

    internal static TSqlModel Tables()
    {
        var model = new TSqlModel(SqlServerVersion.Sql140, new() { Collation = "SQL_Latin1_General_CP1_CI_AS" });
        model.AddObjects("CREATE SCHEMA app");
        foreach (var script in ReadModelStatements.Created.Concat(MergeCases.All.Select(one => one.Create)).Concat(ReadModelStatements.Entities.Select(text => text.Sql).Where(sql => sql.Contains("CREATE TABLE", StringComparison.Ordinal))).Select(Script.Of))
        {
            TSqlFragment[] definitions = [.. script.All<CreateTableStatement>(), .. script.All<CreateIndexStatement>().Where(index => !Replaces(index))];
            foreach (var definition in definitions)
                model.AddObjects(Script.TextOf(definition));
        }
        foreach (var view in Definitions())
            model.AddObjects(view.Sql.Replace("CREATE OR ALTER VIEW", "CREATE VIEW", StringComparison.Ordinal));
        model.AddObjects(Catalog);
        return model;
    }

    private static bool Replaces(CreateIndexStatement index) => index.IndexOptions.Any(option => option.OptionKind == IndexOptionKind.DropExisting);

    private static void Add(TSqlModel model, IEnumerable<(string Name, string Sql)> statements)
    {
        foreach (var group in statements.GroupBy(statement => statement.Name))
        {
            foreach (var (index, (name, sql)) in group.Index())
            {
                var title = index == 0 ? name : FormattableString.Invariant($"{name}, {index + 1}");
                var parameters = string.Join(", ", ReadModelStatements.ParametersOf(sql).Select(parameter => $"{parameter} NVARCHAR(4000)"));
                model.AddObjects($"CREATE PROCEDURE [{title.Replace("]", "]]", StringComparison.Ordinal)}] {parameters} AS\n{sql}");
            }
        }
    }

    private static IReadOnlyList<string> Complaints(TSqlModel model) => [.. model.Validate().Select(message => message.ToString())];

    private static void None(IReadOnlyList<string> complaints) => Assert.True(complaints.Count == 0, string.Join('\n', complaints));
}
