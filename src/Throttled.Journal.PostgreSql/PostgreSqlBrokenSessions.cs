using Npgsql;
using Throttled.Journal.Database;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Sessions whose connection broke while they ran a statement. Their results are lost, so they are ended. Thread-safe.</summary>
internal sealed class PostgreSqlBrokenSessions
{
    private readonly Lock _lock = new();
    private readonly HashSet<string> _backends = [];

    internal void Add(string backend)
    {
        lock (_lock)
            _backends.Add(backend);
    }

    /// <summary>Ends all broken sessions that are still open.</summary>
    internal async Task EndAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        string[] backends;
        lock (_lock)
            backends = [.. _backends];
        if (backends.Length == 0)
            return;
        // Only once: if the role may not end them now, it may not end them later.
        await TerminateAsync(session, backends, cancellation).ConfigureAwait(false);
        lock (_lock)
            _backends.ExceptWith(backends);
    }

    /// <summary>Returns the given statements that the server still runs, and cancels them.</summary>
    internal static async Task<IReadOnlyList<BrokenSession>> StillRunningAsync(
        PostgreSqlSession session, IReadOnlyList<BrokenSession> broken, CancellationToken cancellation)
    {
        var running = new HashSet<string?>(StringComparer.Ordinal);
        await session.ReadAsync(
            PostgreSqlCatalogSql.StillRunning,
            row => running.Add(row.GetString(0)) || true,
            cancellation,
            Of([.. broken.Select(one => one.Backend!)])).ConfigureAwait(false);
        if (running.Count > 0)
            await TerminateAsync(session, [.. running!], cancellation).ConfigureAwait(false);
        return [.. broken.Where(one => running.Contains(one.Backend))];
    }

    // If the connection broke silently, a session may wait to send rows that no client reads. No timeout and no cancel ends it:
    // ProcessClientWriteInterrupt in https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/tcop/postgres.c.
    private static async Task TerminateAsync(PostgreSqlSession session, string[] backends, CancellationToken cancellation)
    {
        try
        {
            await session.ReadAsync(PostgreSqlCatalogSql.Terminate, _ => true, cancellation, Of(backends)).ConfigureAwait(false);
        }
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.InsufficientPrivilege)
        {
            // The right was revoked from everyone. The session then ends when the server notices the broken connection.
        }
    }
}
