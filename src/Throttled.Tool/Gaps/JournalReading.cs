using System.Data.Common;
using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Journal.SqlServer;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Gaps;

/// <summary>Reads the end of the journal that the command line names.</summary>
internal sealed class JournalReading(DatabaseChoice place, JournalOptions options)
{
    /// <param name="orderings">How many of the last orderings are searched for gaps.</param>
    /// <param name="cancellation">Ends the search.</param>
    /// <exception cref="CommandException">The journal cannot be read, or a session has locked it.</exception>
    internal async Task<JournalView> ReadAsync(int orderings, CancellationToken cancellation)
    {
        await using var journal = Open();
        await RefuseLockedAsync(cancellation);
        try
        {
            return await new GapSearch(journal, orderings).ReadAsync(cancellation);
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            // A session may have locked the table meanwhile. Then the statement has waited for that session until its timeout.
            await RefuseLockedAsync(cancellation);
            var hint = journal.Classify(error) == FaultKind.MissingTable ? await KnownTables.HintAsync(place.Kind, Connection, options.Tables, cancellation) : "";
            throw new CommandException($"The journal cannot be read: {Sentence.Of(journal.ReasonOf(error))}{hint} Run 'throttled doctor'.", error);
        }
    }

    private string Connection => place.Kind switch
    {
        OptionText.Sqlite => SqliteFile.ReadExisting(place.Source, place.Connection).ConnectionString,
        OptionText.Postgres => PostgreSqlServer.Read(place.Source, place.Connection).ConnectionString,
        _ => SqlServerAddress.Read(place.Source, place.Connection).ConnectionString,
    };

    private IJournalDatabase Open() => CommandException.OfConnection(
        () => place.Kind switch
        {
            OptionText.Sqlite => SqliteJournal.OpenDatabase(Connection, options),
            OptionText.Postgres => PostgreSqlJournal.OpenDatabase(Connection, options),
            _ => SqlServerJournal.OpenDatabase(Connection, options),
        },
        place.Source);

    private async Task RefuseLockedAsync(CancellationToken cancellation)
    {
        if (place.Kind == OptionText.Postgres && await LockAsync(cancellation) is { } held)
            throw new CommandException($"{Sentence.Of(held.Text)} {held.Remedy} then run 'throttled journal' again.");
    }

    private async Task<TableLock?> LockAsync(CancellationToken cancellation)
    {
        try
        {
            await using var connection = new NpgsqlConnection(new NpgsqlConnectionStringBuilder(Connection) { Pooling = false }.ConnectionString);
            await connection.OpenAsync(cancellation);
            return await TableLock.FindAsync(connection, new PostgreSqlDialect().Table(options.Tables.Schema, options.Tables.JournalTable), cancellation);
        }
        catch (DbException)
        {
            // The engine's error is clearer for a server that cannot be reached, and for a schema that the login may not use.
            return null;
        }
    }
}
