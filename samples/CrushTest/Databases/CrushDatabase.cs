using System.Data.Common;
using CrushTest.Floor;
using CrushTest.Settings;
using Throttled.Tool.CommandLine;

namespace CrushTest.Databases;

/// <summary>The size of a journal.</summary>
/// <param name="LastSequenceNumber">The highest of any persistence id.</param>
internal sealed record JournalSize(long Events, long LastSequenceNumber);

/// <summary>One database under the crush test: the engine on it, the bare driver on it, and the statements that prepare the test.</summary>
/// <param name="place">Names the database and its tables. Each test size has its own tables, and never those of a real journal.</param>
internal abstract class CrushDatabase(CrushPlace place)
{
    internal abstract string Name { get; }

    /// <summary>Where the database is, for messages. No two databases have the same place.</summary>
    internal abstract string Place { get; }

    /// <summary>The connection string of the measured readers.</summary>
    internal abstract string ReadersConnection { get; }

    internal JournalTables Tables { get; } =
        JournalTables.Default with { JournalTable = $"crush_{place.Table}", TagTable = $"crush_{place.Table}_tags" };

    /// <summary>Returns 1 if the journal table exists, else 0.</summary>
    protected abstract string TableExists { get; }

    /// <summary>Maintenance that the database would do some time after a large append. It runs before the rounds, so that it does not slow them.</summary>
    protected abstract IEnumerable<string> Upkeep { get; }

    protected virtual string CountRows => "count(*)";

    /// <summary>What it means that a table is missing, or has other rows.</summary>
    protected string Replaced => $"another run replaced the journal {Tables.JournalTable}. Do not use a database in two runs at once.";

    internal abstract JournalReader OpenReader(JournalOptions options);

    internal abstract JournalAppender OpenAppender();

    internal abstract IFloor OpenFloor(FloorPlan plan);

    /// <summary>Makes an error that says where the database is and what to do.</summary>
    internal abstract CommandException Explain(DbException error);

    /// <summary>Counts the readers' statements in the database's own view; null if it has none.</summary>
    internal virtual Task<IStatementCount?> CountStatementsAsync(CancellationToken cancellation) => Task.FromResult<IStatementCount?>(null);

    /// <returns>Null if the table does not exist.</returns>
    internal async Task<JournalSize?> SizeAsync(CancellationToken cancellation)
    {
        await using var open = await OpenAsync(cancellation);
        if (await NumberAsync(open, TableExists, cancellation) == 0)
            return null;
        return new(
            await NumberAsync(open, $"SELECT {CountRows} FROM {Tables.JournalTable}", cancellation),
            await NumberAsync(open, $"SELECT coalesce(max({Tables.SequenceNumberColumn}), 0) FROM {Tables.JournalTable}", cancellation));
    }

    /// <summary>Reads the whole table, so that the first round does not start with a cold disk cache.</summary>
    internal Task WarmAsync(CancellationToken cancellation) => RunAsync($"SELECT max({Tables.ManifestColumn}) FROM {Tables.JournalTable}", cancellation);

    internal async Task DropAsync(CancellationToken cancellation)
    {
        await RunAsync($"DROP TABLE IF EXISTS {Tables.JournalTable}", cancellation);
        await RunAsync($"DROP TABLE IF EXISTS {Tables.TagTable}", cancellation);
    }

    internal async Task SettleAsync(CancellationToken cancellation)
    {
        foreach (var statement in Upkeep)
        {
            try
            {
                await RunAsync(statement, cancellation);
            }
            catch (DbException error) when (IsRefusal(error) && !cancellation.IsCancellationRequested)
            {
                // The user lacks the right. The first round may then include this work.
            }
        }
    }

    /// <summary>Deletes the events after a sequence number.</summary>
    internal Task DeletePastAsync(int sequenceNumber, CancellationToken cancellation) => RunAsync(
        $"DELETE FROM {Tables.JournalTable} WHERE {Tables.SequenceNumberColumn} > {sequenceNumber}", cancellation);

    protected abstract DbConnection NewConnection();

    /// <summary>Whether the database refused a statement of <see cref="Upkeep"/>, and the connection still works.</summary>
    protected virtual bool IsRefusal(DbException error) => false;

    protected async Task<DbConnection> OpenAsync(CancellationToken cancellation)
    {
        var open = NewConnection();
        try
        {
            await open.OpenAsync(cancellation);
            return open;
        }
        catch
        {
            await open.DisposeAsync();
            throw;
        }
    }

    private async Task RunAsync(string sql, CancellationToken cancellation)
    {
        await using var open = await OpenAsync(cancellation);
        await using var command = Command(open, sql);
        await command.ExecuteNonQueryAsync(cancellation);
    }

    private static async Task<long> NumberAsync(DbConnection open, string sql, CancellationToken cancellation)
    {
        await using var command = Command(open, sql);
        return Convert.ToInt64(await command.ExecuteScalarAsync(cancellation));
    }

    private static DbCommand Command(DbConnection open, string sql)
    {
        var command = open.CreateCommand();
        (command.CommandText, command.CommandTimeout) = (sql, 0);
        return command;
    }
}
