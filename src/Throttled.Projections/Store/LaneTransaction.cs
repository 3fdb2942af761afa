using System.Data.Common;
using Throttled.Projections.Failures;
using Throttled.Projections.Positions;

namespace Throttled.Projections.Store;

/// <summary>A lane's transaction on the tables of projections.</summary>
internal sealed class LaneTransaction(StoreTransaction transaction, string target, long epoch) : ILaneTransaction
{
    private PositionMove? _moved;

    public DbTransaction Transaction => transaction.Lent;

    public Task MoveAsync(PositionMove move, CancellationToken cancellation)
    {
        _moved = move;
        return PositionTable.MoveAsync(transaction, target, epoch, move, cancellation);
    }

    public async Task CountUnhandledAsync(int events, CancellationToken cancellation)
    {
        await transaction.CheckLentAsync(cancellation).ConfigureAwait(false);
        await PositionTable.CountAsync(transaction, target, _moved!.To[0].Slices.First, new(0, events), cancellation).ConfigureAwait(false);
    }

    public Task ParkAsync(IReadOnlyList<DeadLetterRow> letters, CancellationToken cancellation) =>
        DeadLetterTable.ParkAsync(transaction, target, letters, cancellation);

    public Task UnparkAsync(string persistenceId, IReadOnlyList<long> orderings, CancellationToken cancellation) =>
        DeadLetterTable.UnparkAsync(transaction, target, persistenceId, orderings, cancellation);

    public Task EndCommandAsync(long id, CommandState state, string result, CancellationToken cancellation) =>
        CommandTable.EndAsync(transaction, id, state, result, cancellation);

    public async Task<bool> HasFailedByAsync(Exception error, CancellationToken cancellation) =>
        TransientFaults.Include(error) && !await transaction.IsUsableAsync(cancellation).ConfigureAwait(false);

    public Task CommitAsync(CancellationToken cancellation) => transaction.CommitAsync(cancellation);

    public ValueTask DisposeAsync() => transaction.DisposeAsync();
}
