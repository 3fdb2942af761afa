using System.Data.Common;
using System.Net.Sockets;

namespace Throttled.Projections.Databases;

/// <summary>
/// Which faults of a database waiting and repeating may cure. A driver wraps those of the network in an exception of its own: one that is not wrapped is of
/// something else that a handler uses.
/// </summary>
internal static class TransientErrors
{
    internal static bool Include(Exception error) => error switch
    {
        AggregateException several => several.InnerExceptions.Any(Include),
        // Somebody wanted it to end, whatever the driver makes of that.
        OperationCanceledException => false,
        DbException database => IsTransient(database),
        _ => error.InnerException is { } inner && Include(inner),
    };

    /// <summary>Whether it is the statement and no event: a table or column that is not there, a right that is missing, what cannot be parsed.</summary>
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
        // A lock not granted in time; a transaction that had failed before, or stood idle for too long.
        "55P03" or "25P02" or "25P03" or "25P04" => true,
        // The server stops, crashed or starts; a statement or an idle session that took too long.
        "57P01" or "57P02" or "57P03" or "57P05" or "57014" => true,
        // A prepared statement that is not on the connection that a pooler gave, or whose table was changed.
        "26000" => true,
        // Connection lost; rolled back for another's sake; out of connections, memory or disk; the operating system failed.
        _ => state.Length == 5 && state[..2] is "08" or "40" or "53" or "58",
    };
}
