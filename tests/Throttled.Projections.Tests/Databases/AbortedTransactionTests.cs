using System.Data.Common;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tests.Store;

namespace Throttled.Projections.Tests.Databases;

/// <summary>In these transactions a statement failed, and its error was caught. PostgreSQL rolls them back and reports success.</summary>
public sealed class AbortedTransactionTests
{
    [Theory, OnPostgreSql]
    public async Task An_aborted_batch_is_not_reported_as_committed(string database)
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
    public async Task An_aborted_preparation_creates_no_read_model(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await Assert.ThrowsAsync<AbortedTransactionException>(() => readModel.Store.CreateVersionAsync(
            TestReadModel.Row(), SliceRange.All, (scope, _) => FailAsync(scope.Transaction), null, default));
        Assert.Empty((await readModel.ReadAsync()).Versions);
    }

    [Fact]
    public void An_aborted_transaction_is_no_transient_error() => Assert.False(TransientErrors.Include(new AbortedTransactionException()));

    private static async Task FailAsync(DbTransaction transaction)
    {
        await using var command = transaction.Connection!.CreateCommand();
        command.Transaction = transaction;
        command.CommandText = "SELECT 1 / 0";
        await Assert.ThrowsAnyAsync<DbException>(() => command.ExecuteScalarAsync());
    }
}
