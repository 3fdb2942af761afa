using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Projections;

/// <summary>The read model database that the command line names.</summary>
internal sealed class ReadModelConnection : IAsyncDisposable
{
    private const string NoTables = "there is no such table yet. Run the projection first.";

    private readonly DbDataSource _source;
    private readonly Func<DbException, CommandException> _explain;

    /// <exception cref="CommandException">The connection string cannot be used.</exception>
    internal ReadModelConnection(string database, string? connection)
    {
        if (database == OptionText.Sqlite)
        {
            var file = SqliteFile.Read("--connection", connection);
            // A file that does not exist has no projection.
            file.Mode = SqliteOpenMode.ReadWrite;
            _source = SqliteFactory.Instance.CreateDataSource(file.ConnectionString);
            _explain = error => SqliteFile.Explain(error, NoTables, ("--connection", file.DataSource));
            Database = ReadModelDatabase.Sqlite(_source);
        }
        else
        {
            var server = PostgreSqlServer.Read("--connection", connection);
            _source = NpgsqlDataSource.Create(server.ConnectionString);
            _explain = error => PostgreSqlServer.Explain(error, NoTables, server);
            Database = ReadModelDatabase.PostgreSql(_source);
        }
    }

    internal ReadModelDatabase Database { get; }

    /// <summary>Says which database it is and what to do.</summary>
    internal CommandException Explain(DbException error) => _explain(error);

    public ValueTask DisposeAsync() => _source.DisposeAsync();
}
