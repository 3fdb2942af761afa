using Microsoft.SqlServer.Dac.Model;
using Microsoft.SqlServer.TransactSql.ScriptDom;
using Throttled.Journal.Relational;
using DacProcedure = Microsoft.SqlServer.Dac.Model.Procedure;

namespace Throttled.Journal.SqlServer.Tests.Parsed;

/// <summary>
/// A journal's tables in Microsoft's model of a database. The model resolves the names in statements: tables, columns, aliases, parameters and
/// the server's own objects. It does not check types, and accepts any function name.
/// </summary>
internal sealed class BoundJournal : IDisposable
{
    /// <summary>Stands in for the server's own views, functions and procedures, which the model lacks.</summary>
    internal const string Catalog = "catalog.sql";

    private readonly TSqlModel _model;

    /// <param name="tables">The layout.</param>
    /// <param name="version">The version of SQL Server.</param>
    /// <param name="made">The script that created the journal table, with names in any case; by default the appender's script, with exact names.</param>
    internal BoundJournal(JournalTables tables, SqlServerVersion version, string? made = null)
    {
        _model = new(version, new() { Collation = made is null ? "Latin1_General_100_BIN2" : "SQL_Latin1_General_CP1_CI_AS" });
        var dialect = new SqlServerDialect();
        if (tables.Schema is { } schema and not "dbo")
            _model.AddObjects($"CREATE SCHEMA {dialect.Quote(schema)}");
        var journal = made is null ? new SqlServerSchema(tables).Create() : [made];
        AddDefinitions([.. journal, new ShardMarkSql(dialect, tables).Create, Kept(SqlServerStaging.Create)]);
        _model.AddObjects(Script.Embedded(Catalog));
    }

    /// <summary>Adds statements, each as a procedure with its parameters.</summary>
    internal void Add(IEnumerable<(string Name, string Sql)> statements) =>
        _model.AddObjects(string.Join("\nGO\n", statements.Select(statement => Procedure(statement.Name, Kept(statement.Sql)))));

    /// <summary>The model's errors about the statements.</summary>
    internal IReadOnlyList<string> Complaints() => [.. _model.Validate().Select(message => message.ToString())];

    /// <summary>The columns that the statements read of the server's own views and functions.</summary>
    internal IEnumerable<string> ReadOfServer() => _model.GetObjects(DacQueryScopes.UserDefined, DacProcedure.TypeClass)
        .SelectMany(procedure => procedure.GetReferenced())
        .Where(read => read.ObjectType == Column.TypeClass && read.Name.Parts[0] == "sys")
        .Select(read => string.Join('.', read.Name.Parts));

    public void Dispose() => _model.Dispose();

    private static string Procedure(string name, string sql)
    {
        var parameters = Script.Of(sql).Parameters().Select(parameter => $"{parameter} NVARCHAR(4000)");
        return $"CREATE PROCEDURE {new SqlServerDialect().Quote(name)} {string.Join(", ", parameters)} AS\n{sql}";
    }

    // The model does not check a temporary table, but it checks a permanent one.
    private static string Kept(string sql) => sql.Replace("#throttled_", "throttled_", StringComparison.Ordinal);

    private void AddDefinitions(IEnumerable<string> texts)
    {
        foreach (var script in texts.Select(Script.Of))
        {
            TSqlFragment[] definitions = [.. script.All<CreateTableStatement>(), .. script.All<CreateIndexStatement>()];
            foreach (var definition in definitions)
                _model.AddObjects(Script.TextOf(definition));
        }
    }
}

/// <summary>All statements on all layouts, for one version of the server; created once for the tests that share it.</summary>
public sealed class BoundStatements : IDisposable
{
    private readonly Lazy<IReadOnlyList<BoundJournal>> _journals = new(() => Bind(SqlServerVersion.Sql130));

    internal IReadOnlyList<BoundJournal> Journals => _journals.Value;

    internal static IReadOnlyList<BoundJournal> Bind(SqlServerVersion version) => [.. StatementCase.All.GroupBy(one => one.Tables).Select(cases =>
    {
        var journal = new BoundJournal(cases.Key, version);
        journal.Add(cases.SelectMany(one => one.Run().Select(statement => ($"{one.Title}: {statement.Name}", statement.Sql))));
        if (cases.Key is { Schema: "dbo", TagMode: TagMode.TagTable })
            journal.Add(StatementCase.Documented);
        return journal;
    })];

    public void Dispose()
    {
        if (!_journals.IsValueCreated)
            return;
        foreach (var journal in Journals)
            journal.Dispose();
    }
}
