using System.Data.Common;
using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

/// <summary>Finds out what the server allows.</summary>
internal sealed class PostgreSqlProbe(PostgreSqlJournalSql sql, PostgreSqlTags tags, JournalOptions options, int? poolSize)
{
    // The connections of the tail and of the listener.
    private const int Others = 2;

    private readonly PostgreSqlDialect _dialect = new();
    private readonly ShardMarkSql _markSql = new(new PostgreSqlDialect(), options.Tables);

    /// <exception cref="MissingTagTableException">There is no such table, though there are events.</exception>
    /// <exception cref="TagTablePendingException">There is no such table, and no event.</exception>
    /// <exception cref="MissingColumnException">A column that the reader needs does not exist.</exception>
    internal async Task<ProbeResult> RunAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        var result = await ReadResultAsync(session, cancellation).ConfigureAwait(false);
        if (options.Shard is { } identity)
            await CheckMarkAsync(session, identity, cancellation).ConfigureAwait(false);
        else
            result = result with { Warning = result.Warning ?? await MarkWarningAsync(session, cancellation).ConfigureAwait(false) };
        if (options.MaxPayloadBytes is not null)
            await ReadPayloadTypeAsync(session, cancellation).ConfigureAwait(false);
        if (options.Tables.TagMode != TagMode.TagTable)
            return result;
        await CheckTagTableAsync(session, cancellation).ConfigureAwait(false);
        return result with { TagWarning = await TagWarningAsync(session, cancellation).ConfigureAwait(false) };
    }

    private async Task<ProbeResult> ReadResultAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        try
        {
            return (await session.RowAsync(
                sql.Probe, ResultOf, cancellation, Of(sql.JournalTable), Of(options.Tables.OrderingColumn)).ConfigureAwait(false))!;
        }
        catch (PostgresException error) when (IsMissingColumn(error)
            && MissingColumnException.OfJournal(options.Tables, _dialect, error.MessageText, error) is { } missing)
        {
            throw missing;
        }
    }

    private async Task CheckMarkAsync(PostgreSqlSession session, ShardIdentity identity, CancellationToken cancellation)
    {
        // Read before the mark, because a writer writes its mark first.
        var hasEvents = await session.ScalarAsync(sql.LastKey, cancellation).ConfigureAwait(false) is not null;
        ShardMark.CheckRead(hasEvents, await ReadMarkAsync(session, cancellation).ConfigureAwait(false), identity, _markSql.Journal);
    }

    private async Task<string?> MarkWarningAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        try
        {
            return ShardMark.WarningOf(await ReadMarkAsync(session, cancellation).ConfigureAwait(false), _markSql.Journal);
        }
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.InsufficientPrivilege)
        {
            // A reader of a single journal needs no right on the table of marks.
            return null;
        }
    }

    private async Task<ShardMark?> ReadMarkAsync(PostgreSqlSession session, CancellationToken cancellation) =>
        await session.ScalarAsync(PostgreSqlShardMark.Exists, cancellation, Of(_markSql.Table)).ConfigureAwait(false) is true
            ? await session.RowAsync(
                _markSql.Read, row => new ShardMark(row.GetInt32(0), row.GetString(1)), cancellation, Of(options.Tables.JournalTable)).ConfigureAwait(false)
            : null;

    private async Task ReadPayloadTypeAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        var type = await session.ScalarAsync(
            PostgreSqlCatalogSql.ColumnType, cancellation, Of(sql.JournalTable), Of(options.Tables.PayloadColumn)).ConfigureAwait(false);
        if (type is string known)
            sql.ReadPayloadsOf(known);
    }

    private async Task CheckTagTableAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        try
        {
            await tags.RunAsync(
                session, () => session.ReadAsync(sql.TagColumns, _ => true, cancellation), cancellation).ConfigureAwait(false);
        }
        catch (PostgresException error) when (IsMissingColumn(error)
            && MissingColumnException.OfTagTable(options.Tables, _dialect, error.MessageText, error) is { } missing)
        {
            throw missing;
        }
        catch (MissingTagTableException error)
        {
            if (await session.ScalarAsync(sql.LastKey, cancellation).ConfigureAwait(false) is null)
                throw new TagTablePendingException(sql.TagTable, error);
            throw;
        }
    }

    private static bool IsMissingColumn(PostgresException error) => error.SqlState == PostgresErrorCodes.UndefinedColumn;

    private ProbeResult ResultOf(DbDataReader row)
    {
        var connections = row.GetInt32(0);
        var sequence = new OrderingSequence(
            IsStandby: row.GetBoolean(1),
            Name: row.IsDBNull(2) ? null : row.GetString(2),
            Cache: row.IsDBNull(3) ? 1 : row.GetInt64(3),
            Increment: row.IsDBNull(4) ? 1 : row.GetInt64(4),
            IsSubscribed: row.GetBoolean(5),
            Refuses: !row.IsDBNull(6) && !row.GetBoolean(6) ? row.GetString(7) : null);
        var budget = new ConnectionBudget(connections - row.GetInt32(9), Others);
        var ceiling = budget.Statements;
        var (most, why) = poolSize is { } pool && pool - Others < ceiling
            ? (pool - Others, FormattableString.Invariant($"Maximum Pool Size is {pool}"))
            : (ceiling, FormattableString.Invariant($"max_connections is {connections}"));
        return new(Math.Max(1, most), why) { Warning = Unseen(sequence) ?? Skips(sequence) ?? Leaps(sequence) ?? Hidden(sequence), OrderRefusal = Refusal(sequence), Budget = budget };
    }

    private string? Unseen(OrderingSequence sequence)
    {
        if (sequence.IsStandby)
            return "The server is a standby, where the locks of writers cannot be seen. A missing ordering is skipped after the standby has replayed for "
                + "'GapTimeout' and all transactions that it knew of at that time have ended.";
        var why = sequence.Name is null
                ? $"The column {options.Tables.OrderingColumn} of {sql.JournalTable} is not drawn from a sequence (identity, serial, or nextval as its default)"
            : sequence.IsSubscribed ? $"A subscription writes to {sql.JournalTable}, and its workers hold no lock of the sequence"
            : null;
        return why is null ? null : why + ": a missing ordering is skipped after 'GapTimeout'.";
    }

    private static string? Skips(OrderingSequence sequence) => sequence.Cache > 1
        ? FormattableString.Invariant($"The sequence {sequence.Name} has CACHE {sequence.Cache}: sessions commit numbers that they drew long ")
            + "before. A missing ordering is skipped after 'GapTimeout', and an event that commits later reaches a live query no sooner than "
            + $"the next one of its persistence id. {Remedy(sequence.Name)}."
        : null;

    private static string? Leaps(OrderingSequence sequence) => sequence.Increment is not 1
        ? FormattableString.Invariant($"The sequence {sequence.Name} has INCREMENT {sequence.Increment}: each number between is waited for as if it ")
            + $"were missing. Run ALTER SEQUENCE {sequence.Name} INCREMENT 1."
        : null;

    private string? Hidden(OrderingSequence sequence) => sequence.Refuses is { } user
        ? $"The user {user} may not read the sequence {sequence.Name}, so a rewind of the journal is detected only when another event gets a number "
            + $"that was already read. Run GRANT SELECT ON SEQUENCE {sequence.Name} TO {_dialect.Quote(user)}."
        : null;

    private string? Refusal(OrderingSequence sequence) =>
        sequence.Cache > 1 && !sequence.IsSubscribed && !options.AllowCachedSequence ? CacheRefusal(sequence.Name, sequence.Cache) : null;

    /// <summary>Why queries in journal order are refused if the sequence has a cache.</summary>
    internal static string CacheRefusal(string? sequence, long cache) =>
        FormattableString.Invariant($"'AllowCachedSequence' is false and the sequence {sequence} has CACHE {cache}; it must be 1, because ")
        + "sessions commit numbers that they drew long before, and a position would skip these. "
        + $"{Remedy(sequence)}; or set 'AllowCachedSequence' to true and accept that. A reader that is open needs to be opened anew.";

    // https://www.postgresql.org/docs/current/sql-altersequence.html: sessions first use up the numbers that they have cached.
    private static string Remedy(string? sequence) =>
        $"Run ALTER SEQUENCE {sequence} CACHE 1 and let the writers connect anew";

    private async Task<string?> TagWarningAsync(PostgreSqlSession session, CancellationToken cancellation)
    {
        var tables = options.Tables;
        var lacks = await session.ScalarAsync(
            PostgreSqlCatalogSql.LacksIndex,
            cancellation,
            Of(sql.TagTable),
            Of(tables.TagColumn),
            Of(tables.TagOrderingColumn)).ConfigureAwait(false);
        return lacks is true
            ? ProbeResult.NoTagIndex(tables, sql.TagTable, sql.CreateTagIndex)
            : null;
    }

    /// <summary>Where orderings come from.</summary>
    /// <param name="IsStandby">Whether the server is a standby.</param>
    /// <param name="Name">The sequence, quoted; null if the column has no single sequence.</param>
    /// <param name="Cache">How many numbers a session takes at a time.</param>
    /// <param name="Increment">The difference between two numbers.</param>
    /// <param name="IsSubscribed">Whether a subscription writes to the table.</param>
    /// <param name="Refuses">The user, if it may not read the sequence; null if it may.</param>
    private readonly record struct OrderingSequence(
        bool IsStandby, string? Name, long Cache, long Increment, bool IsSubscribed, string? Refuses);
}
