using LinqToDB;
using LinqToDB.Data;
using LinqToDB.Mapping;
using Throttled.Projections.Linq2Db;
using Throttled.Projections.Testing;
using Throttled.Projections.Tests.Store;

namespace Throttled.Projections.Tests.Writers;

/// <summary>A connection of linq2db in the transaction of the offset.</summary>
public sealed class Linq2DbTests
{
    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Bulk_copies_and_updates_are_in_the_transaction_though_batches_are_rolled_back_and_divided(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        await run.CheckAsync(await run.HandleAsync(Copying(BulkCopyType.Default)));
    }

    // SQLite has neither COPY nor MERGE.
    [Theory, OnPostgreSql, OnSqlServer]
    public async Task A_copy_and_a_merge_are_in_the_transaction(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        await run.CheckAsync(await run.HandleAsync(Copying(BulkCopyType.ProviderSpecific), batch: 8));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Statements_of_each_event_are_in_the_transaction(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        var handler = new HandlerBuilder()
            .Event<int>(async (each, transaction, cancellation) =>
            {
                await transaction.GetDataConnection().InsertAsync(new SeenRow(each.Payload), token: cancellation);
                await transaction.GetDataConnection().GetTable<TotalRow>().Set(row => row.Sum, row => row.Sum + each.Payload).UpdateAsync(cancellation);
            })
            .Build();
        await run.CheckAsync(await run.HandleAsync(handler));
    }

    [Theory, OnPostgreSql]
    public async Task A_transient_error_repeats_the_batch_and_costs_no_event_an_attempt(string database)
    {
        await using var run = await NumbersRun.CreateAsync(database);
        await run.FailOnceAsync();
        Assert.Equal(0, (await run.HandleAsync(Copying(BulkCopyType.ProviderSpecific))).DeadLetters);
        Assert.Equal(Enumerable.Range(1, NumbersRun.Events).Sum(), await run.TotalAsync());
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_transaction_has_one_connection_of_linq2db_with_the_options_of_its_first_call(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        var schema = new MappingSchema();
        List<DataConnection> all = [];
        var handler = new HandlerBuilder()
            .Event<int>((_, transaction, _) =>
            {
                all.Add(transaction.GetDataConnection(options => options.UseMappingSchema(schema)));
                return Task.CompletedTask;
            })
            .Build();
        await using var test = await HandlerTest.StartAsync(handler, readModel.ReadModel);
        await test.HandleAsync(new("a", 1), new("b", 2));
        await test.HandleAsync(new TestEvent("a", 3));
        Assert.Same(all[0], all[1]);
        Assert.NotSame(all[1], all[2]);
        Assert.Empty(test.Unhandled);
        Assert.Throws<ObjectDisposedException>(() => all[2].GetTable<SeenRow>().Count());
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Options_that_are_null_or_of_another_connection_stop_the_lane_and_no_event_is_a_dead_letter(string database)
    {
        foreach (var (configure, error) in new (Func<DataOptions, DataOptions>, string)[]
            { (_ => null!, "'configure' returned null"), (_ => new DataOptions().UseSQLite("Data Source=:memory:"), "another connection or transaction") })
        {
            await using var run = await NumbersRun.CreateAsync(database);
            var status = await run.HandleAsync(new HandlerBuilder().Event<int>((_, transaction, _) =>
            {
                transaction.GetDataConnection(configure);
                return Task.CompletedTask;
            }).Build());
            Assert.Equal((0, 0L), (status.DeadLetters, status.Offset));
            Assert.Contains(error, status.Lanes[0].Error, StringComparison.Ordinal);
        }
    }

    private static ProjectionHandler Copying(BulkCopyType type) => new HandlerBuilder()
        .Batch(async (batch, cancellation) =>
        {
            var connection = batch.GetDataConnection();
            // By default, a bulk copy into SQL Server does not check the constraint that refuses the poison.
            var options = new BulkCopyOptions { BulkCopyType = type, CheckConstraints = true };
            await connection.GetTable<SeenRow>().BulkCopyAsync(options, batch.Select(each => new SeenRow((int)each.Payload)), cancellation);
            TotalRow change = new() { Id = 1, Sum = batch.Sum(each => (int)each.Payload) };
            if (type == BulkCopyType.ProviderSpecific)
                await connection.GetTable<TotalRow>().Merge().Using([change]).OnTargetKey().UpdateWhenMatched((row, more) => new() { Sum = row.Sum + more.Sum }).MergeAsync(cancellation);
            else
                await connection.GetTable<TotalRow>().InsertOrUpdateAsync(() => new() { Id = 1, Sum = change.Sum }, row => new() { Sum = row.Sum + change.Sum }, cancellation);
        })
        .Build();

    [Table("seen")]
    private sealed record SeenRow([property: Column("number"), PrimaryKey] int Number);

    [Table("totals")]
    private sealed class TotalRow
    {
        [Column("id"), PrimaryKey]
        public int Id { get; init; }

        [Column("total")]
        public int Sum { get; init; }
    }
}
