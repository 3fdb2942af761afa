using System.Data.Common;
using System.Net.Sockets;

namespace Throttled.Projections.Databases;

/// <summary>
/// Which database errors a retry may cure. A driver wraps network errors in its own exception. A network error without that wrapper comes from
/// something else that a handler uses.
/// </summary>
internal static class TransientErrors
{
    internal static bool Include(Exception error) => error switch
    {
        AggregateException several => several.InnerExceptions.Any(Include),
        // The call was cancelled, however the driver reports it.
        OperationCanceledException => false,
        DbException database => IsTransient(database),
        _ => error.InnerException is { } inner && Include(inner),
    };

    /// <summary>Whether the statement itself is wrong, not the event: a missing table, column or right, or a syntax error.</summary>
    internal static bool AreOfSchema(Exception error) =>
        (error is DbException database && (database.SqlState?.StartsWith("42", StringComparison.Ordinal) == true || SqliteFault.CodeOf(database) == SqliteFault.Statement))
        || (error.InnerException is { } inner && AreOfSchema(inner));

    private static bool IsTransient(DbException error) => error.SqlState is { } state
        ? error.IsTransient || IsTransientState(state)
        : SqliteFault.CodeOf(error) is { } code
            ? SqliteFault.IsTransient(code)
            : error.IsTransient || error.InnerException is IOException or SocketException or TimeoutException || (error.InnerException is { } inner && Include(inner));

    // https://www.postgresql.org/docs/current/errcodes-appendix.html
    private static bool IsTransientState(string state) => state switch
    {
        // A lock was not granted in time; the transaction had failed before, or was idle for too long.
        "55P03" or "25P02" or "25P03" or "25P04" => true,
        // The server stops, crashed or starts; a statement or an idle session timed out.
        "57P01" or "57P02" or "57P03" or "57P05" or "57014" => true,
        // A prepared statement is missing on the connection that a pooler gave, or its table was changed.
        "26000" => true,
        // The connection is lost; another transaction caused a rollback; no connections, memory or disk left; the operating system failed.
        _ => state.Length == 5 && state[..2] is "08" or "40" or "53" or "58",
    };
}
