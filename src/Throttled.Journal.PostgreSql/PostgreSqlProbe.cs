using System.Data.Common;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

internal sealed class PostgreSqlProbe(AdoContext context, PostgreSqlJournalSql sql, int? poolSize) : AdoProbe(context)
{
    protected override async Task<ProbeResult> ReadServerAsync(IAdoSession session, CancellationToken cancellation)
    {
        try
        {
            var result = await session.RowAsync(
                sql.Probe, ResultOf, cancellation, Of(sql.JournalTable), Of(Context.Tables.OrderingColumn)).ConfigureAwait(false);
            if (Context.Options.MaxPayloadBytes is not null)
                await ReadPayloadTypeAsync(session, cancellation).ConfigureAwait(false);
            return result!;
        }
        catch (DbException error) when (MissingColumn(error) is { } missing)
        {
            throw missing;
        }
    }

    private async Task ReadPayloadTypeAsync(IAdoSession session, CancellationToken cancellation)
    {
        var type = await session.ScalarAsync(
            PostgreSqlCatalogSql.ColumnType, cancellation, Of(sql.JournalTable), Of(Context.Tables.PayloadColumn)).ConfigureAwait(false);
        if (type is string known)
            sql.ReadPayloadsOf(known);
    }

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
        return Limit(connections - row.GetInt32(9), FormattableString.Invariant($"max_connections is {connections}"), poolSize, "Maximum Pool Size") with
        {
            Warning = Unseen(sequence) ?? Skips(sequence) ?? Leaps(sequence) ?? Hidden(sequence),
            OrderRefusal = Refusal(sequence),
        };
    }

    private string? Unseen(OrderingSequence sequence)
    {
        if (sequence.IsStandby)
            return "The server is a standby, where the locks of writers cannot be seen. A missing ordering is skipped after the standby has replayed for "
                + "'GapTimeout' and all transactions that it knew of at that time have ended.";
        var why = sequence.Name is null
                ? $"The column {Context.Tables.OrderingColumn} of {sql.JournalTable} is not drawn from a sequence (identity, serial, or nextval as its default)"
            : sequence.IsSubscribed ? $"A subscription writes to {sql.JournalTable}, and its workers hold no lock of the sequence"
            : null;
        return why is null ? null : why + ": a missing ordering is skipped after 'GapTimeout'.";
    }

    private static string? Skips(OrderingSequence sequence) => sequence.Cache > 1
        ? FormattableString.Invariant($"The sequence {sequence.Name} has CACHE {sequence.Cache}: sessions draw numbers in advance, and commit ")
            + "them much later. A missing ordering is skipped after 'GapTimeout'; if its event commits later, live queries do not deliver it before "
            + $"the next event of its persistence id. {Remedy(sequence.Name)}."
        : null;

    private static string? Leaps(OrderingSequence sequence) => sequence.Increment is not 1
        ? FormattableString.Invariant($"The sequence {sequence.Name} has INCREMENT {sequence.Increment}: queries wait for each number between, as if ")
            + $"its event were missing. Run ALTER SEQUENCE {sequence.Name} INCREMENT 1."
        : null;

    private string? Hidden(OrderingSequence sequence) => sequence.Refuses is { } user
        ? $"The user {user} may not read the sequence {sequence.Name}, so a rewind of the journal is detected only when another event gets a number "
            + $"that was already read. Run GRANT SELECT ON SEQUENCE {sequence.Name} TO {Context.Dialect.Quote(user)}."
        : null;

    private string? Refusal(OrderingSequence sequence) =>
        sequence.Cache > 1 && !sequence.IsSubscribed && !Context.Options.AllowCachedSequence ? CacheRefusal(sequence.Name, sequence.Cache) : null;

    /// <summary>Why queries in journal order are refused if the sequence has a cache.</summary>
    internal static string CacheRefusal(string? sequence, long cache) =>
        FormattableString.Invariant($"'AllowCachedSequence' is false and the sequence {sequence} has CACHE {cache}; it must be 1, because ")
        + "sessions draw numbers in advance, so a stored position may skip events. "
        + $"{Remedy(sequence)}, or set 'AllowCachedSequence' to true and accept skipped events. Then open the reader again.";

    // https://www.postgresql.org/docs/current/sql-altersequence.html: sessions first use up the numbers that they have cached.
    private static string Remedy(string? sequence) => $"Run ALTER SEQUENCE {sequence} CACHE 1 and reconnect the writers";

    /// <summary>Where orderings come from.</summary>
    /// <param name="IsStandby">Whether the server is a standby.</param>
    /// <param name="Name">The sequence, quoted; null if the column has no single sequence.</param>
    /// <param name="Cache">How many numbers a session takes at a time.</param>
    /// <param name="Increment">The difference between two numbers.</param>
    /// <param name="IsSubscribed">Whether a subscription writes to the table.</param>
    /// <param name="Refuses">The user, if it may not read the sequence; null if it may.</param>
    private readonly record struct OrderingSequence(bool IsStandby, string? Name, long Cache, long Increment, bool IsSubscribed, string? Refuses);
}
