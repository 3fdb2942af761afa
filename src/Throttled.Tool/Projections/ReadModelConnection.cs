using System.Data.Common;
using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Npgsql;
using SQLitePCL;
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
    internal ReadModelConnection(DatabaseChoice place)
    {
        if (place.Kind == OptionText.Sqlite)
        {
            var file = SqliteFile.Read(place.Source, place.Connection);
            // Do not create a missing file: it has no projections.
            file.Mode = SqliteOpenMode.ReadWrite;
            _source = SqliteFactory.Instance.CreateDataSource(file.ConnectionString);
            _explain = error => (error is SqliteException { SqliteErrorCode: raw.SQLITE_CANTOPEN } ? SqliteFile.Absence(place.Source, file.DataSource, "the read model's file", "run the projection once") : null)
                ?? SqliteFile.Explain(error, NoTables, (place.Source, file.DataSource));
            Database = ReadModelDatabase.Sqlite(_source);
        }
        else if (place.Kind == OptionText.SqlServer)
        {
            var server = SqlServerAddress.Read(place.Source, place.Connection);
            _source = SqlClientFactory.Instance.CreateDataSource(server.ConnectionString);
            _explain = error => SqlServerAddress.Explain(error, NoTables, server, place.Source, "Grant it what the server names.");
            Database = ReadModelDatabase.SqlServer(_source);
        }
        else
        {
            var server = PostgreSqlServer.Read(place.Source, place.Connection);
            _source = NpgsqlDataSource.Create(server.ConnectionString);
            _explain = error => PostgreSqlServer.Explain(error, NoTables, server, place.Source);
            Database = ReadModelDatabase.PostgreSql(_source);
        }
    }

    internal ReadModelDatabase Database { get; }

    /// <summary>Says which database it is and what to do.</summary>
    internal CommandException Explain(DbException error) => _explain(error);

    public ValueTask DisposeAsync() => _source.DisposeAsync();
}
