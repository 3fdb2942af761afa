using Npgsql;
using Throttled.Journal.Database;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Broken sessions: their connection broke while they ran something. Nobody reads what they find, so they are ended. Thread-safe.</summary>
internal sealed class PostgreSqlBrokenSessions
{
    private readonly Lock _lock = new();
    private readonly HashSet<string> _backends = [];

    internal void Add(string backend)
    {
        lock (_lock)
            _backends.Add(backend);
    }

    /// <summary>Ends all broken sessions that have not ended yet.</summary>
    internal async Task EndAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        string[] backends;
        lock (_lock)
            backends = [.. _backends];
        if (backends.Length == 0)
            return;
        // Once: where it is not allowed, it will not be the next time.
        await TerminateAsync(session, backends, cancellation).ConfigureAwait(false);
        lock (_lock)
            _backends.ExceptWith(backends);
    }

    /// <summary>Those of some statements that the server still runs; they are told to end.</summary>
    internal static async Task<IReadOnlyList<BrokenSession>> StillRunningAsync(
        PostgreSqlSession session, IReadOnlyList<BrokenSession> broken, CancellationToken cancellation)
    {
        var running = new HashSet<string?>(StringComparer.Ordinal);
        var command = await session.CommandAsync(
            PostgreSqlCatalogSql.StillRunning, cancellation, Of([.. broken.Select(one => one.Backend!)])).ConfigureAwait(false);
        await PostgreSqlSession.ReadAsync(command, row => running.Add(row.GetString(0)) || true, cancellation).ConfigureAwait(false);
        if (running.Count > 0)
            await TerminateAsync(session, [.. running!], cancellation).ConfigureAwait(false);
        return [.. broken.Where(one => running.Contains(one.Backend))];
    }

    // One that waits to send what nobody reads any more is ended by no time-out and no cancel, where the connection broke without a word:
    // ProcessClientWriteInterrupt in https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/tcop/postgres.c.
    private static async Task TerminateAsync(PostgreSqlSession session, string[] backends, CancellationToken cancellation)
    {
        try
        {
            var command = await session.CommandAsync(PostgreSqlCatalogSql.Terminate, cancellation, Of(backends)).ConfigureAwait(false);
            await PostgreSqlSession.ReadAsync(command, _ => true, cancellation).ConfigureAwait(false);
        }
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.InsufficientPrivilege)
        {
            // Somebody took the right from everyone. Then it ends when the server notices by itself.
        }
    }
}
