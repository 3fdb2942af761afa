using System.Data.Common;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.PostgreSqlParameters;

namespace Throttled.Journal.PostgreSql;

internal sealed class PostgreSqlPoll(AdoContext context, PostgreSqlJournalSql sql, StandbyTransactions standby) : AdoPoll(context)
{
    protected override string RowsInGaps => sql.RowsInGaps;

    protected override DbParameter[] Gaps(IReadOnlyList<OrderingRange> gaps) => [Of([.. gaps.Select(gap => gap.First)]), Of([.. gaps.Select(gap => gap.Last)])];

    // If a user gives the sequence a cache while the reader is open, its locks no longer show all open transactions.
    protected override async Task<(IReadOnlySet<string>? OpenTransactions, string? Refusal)> ReadOpenTransactionsAsync(
        IAdoSession session, CancellationToken cancellation)
    {
        var (found, refusal) = await session.RowAsync(PostgreSqlCatalogSql.OpenTransactions, Found, cancellation, Ordering()).ConfigureAwait(false);
        return (found ?? await ReadStandbyAsync(session, cancellation).ConfigureAwait(false), refusal);
    }

    protected override async Task<long?> ReadLastIssuedAsync(IAdoSession session, CancellationToken cancellation)
    {
        var sequence = await session.ScalarAsync(PostgreSqlCatalogSql.ReadableSequence, cancellation, Ordering()).ConfigureAwait(false) as string;
        return sequence is null
            ? null
            : await session.ScalarAsync(PostgreSqlCatalogSql.LastIssued(sequence), cancellation).ConfigureAwait(false) as long?;
    }

    private DbParameter[] Ordering() => [Of(Context.Sql.JournalTable), Of(Context.Tables.OrderingColumn)];

    private (IReadOnlySet<string>? OpenTransactions, string? Refusal) Found(DbDataReader row) => (
        row.IsDBNull(0) ? null : row.GetFieldValue<string[]>(0).ToHashSet(StringComparer.Ordinal),
        row.IsDBNull(1) || Context.Options.AllowCachedSequence ? null : PostgreSqlProbe.CacheRefusal(row.GetString(2), row.GetInt64(1)));

    private Task<IReadOnlySet<string>?> ReadStandbyAsync(IAdoSession session, CancellationToken cancellation) => session.RowAsync(
        PostgreSqlCatalogSql.Standby,
        row => standby.Observe(new(row.GetInt64(0), row.GetInt64(1), row.GetInt64(2), row.GetBoolean(3))),
        cancellation);
}
