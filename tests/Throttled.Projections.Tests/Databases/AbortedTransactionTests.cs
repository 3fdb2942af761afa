using System.Data.Common;
using Throttled.Journal;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tests.Store;

namespace Throttled.Projections.Tests.Databases;

/// <summary>Transactions in which a statement failed whose error was caught. PostgreSQL rolls them back and calls that a success.</summary>
public sealed class AbortedTransactionTests
{
    [Theory, OnPostgreSql]
    public async Task A_batch_is_not_taken_for_committed(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        var lane = await readModel.ReadLaneAsync();
        await using (var transaction = await readModel.Store.BeginAsync("accounts", 1, default))
        {
            await transaction.MoveAsync(new LaneOffsets(lane.Offsets).MoveTo(5, 0, 5));
            await FailAsync(transaction.Transaction);
            await Assert.ThrowsAsync<AbortedTransactionException>(() => transaction.CommitAsync());
        }
        Assert.Equal(0, (await readModel.ReadLaneAsync()).Offsets[0].Ordering);
    }

    [Theory, OnPostgreSql]
    public async Task A_read_model_is_not_taken_for_made(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await Assert.ThrowsAsync<AbortedTransactionException>(() => readModel.Store.CreateVersionAsync(
            TestReadModel.Row(), SliceRange.All, (scope, _) => FailAsync(scope.Transaction), null, default));
        Assert.Empty((await readModel.ReadAsync()).Versions);
    }

    [Fact]
    public void It_is_not_waited_for() => Assert.False(TransientErrors.Include(new AbortedTransactionException()));

    private static async Task FailAsync(DbTransaction transaction)
    {
        await using var command = transaction.Connection!.CreateCommand();
        command.Transaction = transaction;
        command.CommandText = "SELECT 1 / 0";
        await Assert.ThrowsAnyAsync<DbException>(() => command.ExecuteScalarAsync());
    }
}
