using Microsoft.Data.SqlClient;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>Opens the sessions of one journal and keeps them open. Thread-safe.</summary>
/// <param name="source">Creates the connections.</param>
/// <param name="options">How the journal is read.</param>
/// <param name="seesOthers">Whether the server shows other sessions to this user.</param>
internal sealed class SqlServerSessions(SqlServerSource source, JournalOptions options, Func<bool> seesOthers) : IAsyncDisposable
{
    private readonly SessionPool<SqlServerSession> _pool = new(options.TimeProvider, session => session.CloseAsync());

    /// <summary>Runs a call on one session.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled, and the server confirmed it.</exception>
    /// <exception cref="SessionBrokenException">The connection broke, and the server may still be running the statement.</exception>
    internal async Task<T> RunAsync<T>(Func<SqlServerSession, Task<T>> work, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        var session = _pool.Take() ?? await OpenAsync(cancellation).ConfigureAwait(false);
        try
        {
            return await SqlServerCancellation.RunAsync(session, work, options.TimeProvider, cancellation).ConfigureAwait(false);
        }
        catch (Exception error)
        {
            throw Ended(session, error, cancellation);
        }
        finally
        {
            await (session.IsBroken ? _pool.DropAsync(session) : _pool.ReturnAsync(session)).ConfigureAwait(false);
        }
    }

    public ValueTask DisposeAsync() => _pool.DisposeAsync();

    // If the server itself reported the error, its statement has ended, whatever happened to the connection.
    private Exception Ended(SqlServerSession session, Exception error, CancellationToken cancellation) => error switch
    {
        _ when session.IsBroken && !SqlServerFaults.IsServersOwn(error) => new SessionBrokenException(Broken(session), error),
        _ when cancellation.IsCancellationRequested && SqlServerFaults.IsCancelled(error) =>
            new OperationCanceledException(error.Message, error, cancellation),
        _ => error,
    };

    private BrokenSession Broken(SqlServerSession session) => new(seesOthers() ? session.Backend : null, options.StatementTimeout);

    // A failure here affects all statements, so it must not be taken for the fault of one of them.
    private async Task<SqlServerSession> OpenAsync(CancellationToken cancellation)
    {
        try
        {
            return await OpenOnceAsync(cancellation).ConfigureAwait(false);
        }
        catch (Exception error) when (!cancellation.IsCancellationRequested
            && SqlServerFaults.Classify(error) is (FaultKind.Unreadable or FaultKind.TimedOut))
        {
            throw new OpeningException(SqlServerFaults.ReasonOf(error), error);
        }
    }

    private async Task<SqlServerSession> OpenOnceAsync(CancellationToken cancellation)
    {
        var connection = await source.OpenAsync(cancellation).ConfigureAwait(false);
        try
        {
            return await SetUpAsync(connection, cancellation).ConfigureAwait(false);
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private async Task<SqlServerSession> SetUpAsync(SqlConnection connection, CancellationToken cancellation)
    {
        var seconds = SqlServerSession.DriverSeconds(options);
        var command = new SqlCommand($"{SqlServerCatalogSql.Settings}; {SqlServerCatalogSql.Names}", connection) { CommandTimeout = seconds };
        await using var closing = command.ConfigureAwait(false);
        var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
        await using var draining = reader.ConfigureAwait(false);
        return await reader.ReadAsync(cancellation).ConfigureAwait(false)
            ? new(connection, new(reader.GetString(0), reader.IsDBNull(1) ? null : reader.GetString(1)), seconds)
            : throw new InvalidOperationException("The server does not show the session that runs this query.");
    }
}
