using System.Data.Common;
using Throttled.Journal;
using Throttled.Projections.Positions;
using Throttled.Projections.Store;

namespace Throttled.Projections.Tests.Store;

/// <summary>Transactions in which a statement failed whose error was caught. PostgreSQL rolls them back and calls that a success.</summary>
public sealed class SpoiltTests
{
    [Theory, OnPostgreSql]
    public async Task A_batch_is_not_taken_for_committed(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.TargetAsync();
        var lane = await readModel.ReadLaneAsync();
        await using (var transaction = await readModel.Store.BeginAsync("accounts", 1, default))
        {
            await transaction.MoveAsync(new LanePositions(lane.Positions).MoveTo(5, 0, 5), default);
            await FailAsync(transaction.Transaction);
            await Assert.ThrowsAsync<SpoiltTransactionException>(() => transaction.CommitAsync(default));
        }
        Assert.Equal(0, (await readModel.ReadLaneAsync()).Positions[0].Ordering);
    }

    [Theory, OnPostgreSql]
    public async Task A_read_model_is_not_taken_for_made(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await Assert.ThrowsAsync<SpoiltTransactionException>(() => readModel.Store.CreateTargetAsync(
            TestReadModel.Row(), SliceRange.All, (scope, _) => FailAsync(scope.Transaction), null, default));
        Assert.Empty((await readModel.ReadAsync()).Targets);
    }

    [Fact]
    public void It_is_not_waited_for() => Assert.False(TransientFaults.Include(new SpoiltTransactionException()));

    private static async Task FailAsync(DbTransaction transaction)
    {
        await using var command = transaction.Connection!.CreateCommand();
        command.Transaction = transaction;
        command.CommandText = "SELECT 1 / 0";
        await Assert.ThrowsAnyAsync<DbException>(() => command.ExecuteScalarAsync());
    }
}
