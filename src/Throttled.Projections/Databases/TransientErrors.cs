using System.Data.Common;
using System.Net.Sockets;

namespace Throttled.Projections.Databases;

/// <summary>
/// Which database errors a retry may cure. Every dialect is asked, because an at-least-once handler may use another database. A driver wraps network
/// errors in its own exception. A network error without that wrapper comes from something else that a handler uses.
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

    /// <summary>Whether the statement itself is wrong, not the event.</summary>
    internal static bool AreOfStatement(Exception error) =>
        (error is DbException database && ReadModelDialect.All.Any(dialect => dialect.IsOfStatement(database)))
        || (error.InnerException is { } inner && AreOfStatement(inner));

    private static bool IsTransient(DbException error) =>
        ReadModelDialect.All.Select(dialect => dialect.IsTransient(error)).FirstOrDefault(answer => answer is not null)
        ?? (error.IsTransient || error.InnerException is IOException or SocketException or TimeoutException || (error.InnerException is { } inner && Include(inner)));
}
