using Npgsql;
using Throttled.Journal.Sql;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Reads tags from the tag table. Orderings below the tag horizon are known to have none. Thread-safe.</summary>
internal sealed class PostgreSqlTags(PostgreSqlStatements statements)
{
    private long _horizon;

    private long Horizon
    {
        get => Volatile.Read(ref _horizon);
        set => Volatile.Write(ref _horizon, value);
    }

    /// <summary>Gives events their tags, where some event may have one.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadAsync(PostgreSqlSession session, Func<long, List<JournalEvent>> eventsFrom, CancellationToken cancellation) =>
        ReadAsync(session, eventsFrom, Horizon, cancellation);

    private async Task ReadAsync(
        PostgreSqlSession session, Func<long, List<JournalEvent>> eventsFrom, long horizon, CancellationToken cancellation)
    {
        var asked = eventsFrom(horizon);
        var orderings = asked.ConvertAll(one => one.Ordering).ToArray();
        await ReadAsync(session, orderings, Give, cancellation).ConfigureAwait(false);

        void Give(int place, List<string> tags) => asked[place].Tag([.. asked[place].Tags, .. tags]);
    }

    /// <summary>Adds the tags of orderings that have any.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal async Task ReadAsync(
        PostgreSqlSession session, IEnumerable<long> orderings, Dictionary<long, IReadOnlyList<string>> into, CancellationToken cancellation)
    {
        var horizon = Horizon;
        var asked = orderings.Where(ordering => ordering >= horizon).ToArray();
        await ReadAsync(session, asked, Give, cancellation).ConfigureAwait(false);

        void Give(int place, List<string> tags) => into[asked[place]] = [.. into.GetValueOrDefault(asked[place], []), .. tags];
    }

    /// <summary>Gives events their tags, each of which has one, whatever was learned before it was written.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadAllAsync(PostgreSqlSession session, OrderedStatement statement, CancellationToken cancellation) =>
        ReadAsync(session, statement.EventsFrom, horizon: 0, cancellation);

    internal void ForgetHorizon() => Horizon = 0;

    /// <summary>Learns the tag horizon anew.</summary>
    /// <exception cref="MissingTagTableException">There is no such table.</exception>
    internal Task ReadHorizonAsync(PostgreSqlSession session, long settled, CancellationToken cancellation) => RunAsync(
        session,
        async () =>
        {
            var command = await session.CommandAsync(statements.FirstTagged, cancellation).ConfigureAwait(false);
            var first = await PostgreSqlSession.ScalarAsync(command, cancellation).ConfigureAwait(false) as long?;
            Horizon = Math.Min(settled + 1, first ?? long.MaxValue);
        },
        cancellation);

    /// <summary>Runs a read of the tag table.</summary>
    /// <exception cref="MissingTagTableException">There is no such table, though there is a journal.</exception>
    internal async Task RunAsync(PostgreSqlSession session, Func<Task> read, CancellationToken cancellation)
    {
        try
        {
            await read().ConfigureAwait(false);
        }
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.UndefinedTable)
        {
            var command = await session.CommandAsync(
                PostgreSqlServerStatements.IsThere, cancellation, Of(statements.JournalTable)).ConfigureAwait(false);
            if (await PostgreSqlSession.ScalarAsync(command, cancellation).ConfigureAwait(false) is true)
                throw new MissingTagTableException(statements.TagTable, error);
            throw;
        }
    }

    private async Task ReadAsync(
        PostgreSqlSession session, long[] orderings, Action<int, List<string>> give, CancellationToken cancellation)
    {
        if (orderings.Length == 0)
            return;
        // A page in journal order has nearly all orderings between its first and its last: one seek in the index for all.
        var isRange = TagsOfRows.IsRange(orderings);
        var tags = new TagsOfRows(give, isRange ? ordering => Array.BinarySearch(orderings, ordering) : place => (int)place - 1);
        await RunAsync(
            session,
            async () =>
            {
                var command = isRange
                    ? await session.CommandAsync(statements.TagsBetween, cancellation, Of(orderings[0]), Of(orderings[^1])).ConfigureAwait(false)
                    : await session.CommandAsync(statements.Tags, cancellation, Of(orderings)).ConfigureAwait(false);
                await PostgreSqlSession.ReadAsync(command, tags.Take, cancellation).ConfigureAwait(false);
            },
            cancellation).ConfigureAwait(false);
        tags.Complete();
    }
}
