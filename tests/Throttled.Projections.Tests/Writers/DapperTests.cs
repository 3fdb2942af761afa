using Dapper;
using Throttled.Projections.Tests.Store;

namespace Throttled.Projections.Tests.Writers;

/// <summary>Dapper needs no package of ours: it takes the connection and the transaction.</summary>
public sealed class DapperTests
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Statements_of_Dapper_are_in_the_transaction_though_batches_are_rolled_back_and_divided(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        var handler = new HandlerBuilder()
            .Event<int>(async (each, transaction, _) =>
            {
                await transaction.Connection.ExecuteAsync("INSERT INTO seen VALUES (@Payload)", new { each.Payload }, transaction.Transaction);
                var total = await transaction.Connection.QuerySingleAsync<int>("SELECT total FROM totals", transaction: transaction.Transaction);
                await transaction.Connection.ExecuteAsync("UPDATE totals SET total = @total", new { total = total + each.Payload }, transaction.Transaction);
            })
            .Build();
        await run.CheckAsync(await run.HandleAsync(handler));
    }
}
