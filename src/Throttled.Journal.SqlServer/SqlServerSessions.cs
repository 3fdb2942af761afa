using Microsoft.Data.SqlClient;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>The sessions of one journal. Thread-safe.</summary>
/// <param name="source">Creates the connections.</param>
/// <param name="options">How the journal is read.</param>
/// <param name="seesOthers">Whether the server shows other sessions to this user.</param>
internal sealed class SqlServerSessions(SqlServerSource source, JournalOptions options, Func<bool> seesOthers)
    : AdoSessions<SqlServerSession>(options.TimeProvider, session => session.CloseAsync())
{
    private static readonly TimeSpan AcknowledgementTimeout = TimeSpan.FromSeconds(10);

    protected override async ValueTask<SqlServerSession> OpenAsync(bool isProbe, CancellationToken cancellation)
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

    protected override bool IsOfOpeningOnly(Exception error) => SqlServerFaults.Classify(error) is FaultKind.Unreadable or FaultKind.TimedOut;

    protected override string ReasonOf(Exception error) => SqlServerFaults.ReasonOf(error);

    // After the driver has asked the server to stop, it waits for the acknowledgement without a timeout. A server that is gone or
    // hangs sends none. https://learn.microsoft.com/openspecs/windows_protocols/ms-tds/dc28579f-49b1-4a78-9c5f-63fbda002d2e
    protected override async Task EnforceCancelAsync(SqlServerSession session, CancellationToken ended)
    {
        await Task.Delay(AcknowledgementTimeout, options.TimeProvider, ended).ConfigureAwait(false);
        session.Break();
    }

    // If the server itself reported the error, its statement has ended, whatever happened to the connection.
    protected override Exception Ended(SqlServerSession session, Exception error, CancellationToken cancellation) => error switch
    {
        _ when session.IsBroken && !SqlServerFaults.IsServersOwn(error) => new SessionBrokenException(Broken(session), error),
        _ when cancellation.IsCancellationRequested && SqlServerFaults.IsCancelled(error) => new OperationCanceledException(error.Message, error, cancellation),
        _ => error,
    };

    private BrokenSession Broken(SqlServerSession session) => new(seesOthers() ? session.Backend : null, options.StatementTimeout);

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
