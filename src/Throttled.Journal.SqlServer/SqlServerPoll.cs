using System.Data.Common;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;
using static Throttled.Journal.SqlServer.SqlServerParameters;

namespace Throttled.Journal.SqlServer;

internal sealed class SqlServerPoll(AdoContext context, SqlServerOpenTransactions openTransactions) : AdoPoll(context)
{
    protected override DbParameter[] Gaps(IReadOnlyList<OrderingRange> gaps) => [List(gaps)];

    protected override async Task<(IReadOnlySet<string>? OpenTransactions, string? Refusal)> ReadOpenTransactionsAsync(
        IAdoSession session, CancellationToken cancellation) =>
        (await openTransactions.ReadAsync(session, cancellation).ConfigureAwait(false), null);

    protected override async Task<long?> ReadLastIssuedAsync(IAdoSession session, CancellationToken cancellation) =>
        await session.ScalarAsync(
            SqlServerCatalogSql.LastIssued,
            cancellation,
            Of(Context.Sql.JournalTable),
            Of(Context.Tables.OrderingColumn)).ConfigureAwait(false) as long?;
}
