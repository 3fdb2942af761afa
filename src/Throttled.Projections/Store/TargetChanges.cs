using Throttled.Journal;
using Throttled.Journal.Sql;
using Throttled.Projections.Positions;

namespace Throttled.Projections.Store;

/// <summary>
/// What concerns all lanes of a target. Each ends its command first, so that of two processes that execute it one waits and then finds it ended;
/// holds the target, then its positions, and writes both under a new epoch. Who makes a target makes its row first: the name may be taken.
/// </summary>
internal static class TargetChanges
{
    internal static async Task<bool> CreateAsync(
        StoreTransaction transaction, TargetRow target, SliceRange slices, Func<ReadModelScope, CancellationToken, Task> prepare, CommandRow? command,
        CancellationToken cancellation)
    {
        if (!await TargetTable.InsertAsync(transaction, target, cancellation).ConfigureAwait(false))
            return false;
        if (command is not null)
            await EndAsync(transaction, command, CommandResults.Built(target.Target), cancellation).ConfigureAwait(false);
        var lanes = target.Division.Of(slices);
        StoredPosition[] positions = [.. lanes.Select(lane => new StoredPosition(lane, 0, 0))];
        await PositionTable.InsertAsync(transaction, target.Target, target.Epoch, positions, 0, cancellation).ConfigureAwait(false);
        await LaneTable.InsertAsync(transaction, target.Target, lanes, cancellation).ConfigureAwait(false);
        await ShardTable.ReplaceAsync(transaction, target.Target, target.Map, cancellation).ConfigureAwait(false);
        await prepare(new(target.Target, transaction.Lent), cancellation).ConfigureAwait(false);
        return true;
    }

    internal static async Task LayOutAsync(
        StoreTransaction transaction, TargetRow known, SliceRange slices, LaneDivision lanes, CancellationToken cancellation)
    {
        var target = await TargetTable.LockOneAsync(transaction, known.Target, cancellation).ConfigureAwait(false);
        if (target.Epoch != known.Epoch)
            throw new FencedException(FormattableString.Invariant($"'{target.Target}' has epoch {target.Epoch}, and not {known.Epoch} any more."));
        var positions = await PositionTable.LockAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        if (!PositionTable.Cover(positions, slices))
            throw new ProjectionException(Uncovered(target.Target, slices));
        await CarryAsync(transaction, target.Target, positions, lanes.Map, cancellation).ConfigureAwait(false);
        var layout = lanes.Of(slices);
        target = target with { Lanes = lanes.Lanes, Epoch = target.Epoch + 1 };
        await TargetTable.UpdateAsync(transaction, target, cancellation).ConfigureAwait(false);
        var events = await PositionTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await PositionTable.InsertAsync(transaction, target.Target, target.Epoch, LaneLayout.Cut(positions, layout), events, cancellation)
            .ConfigureAwait(false);
        await LaneTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await LaneTable.InsertAsync(transaction, target.Target, layout, cancellation).ConfigureAwait(false);
    }

    internal static async Task ResetAsync(
        StoreTransaction transaction, CommandRow command, ResetPlace to, Func<ReadModelScope, CancellationToken, Task>? prepare,
        CancellationToken cancellation)
    {
        await EndAsync(transaction, command, CommandResults.GoesOn(command.Target, to, prepare is not null), cancellation).ConfigureAwait(false);
        var target = await TargetTable.LockOneAsync(transaction, command.Target, cancellation).ConfigureAwait(false);
        await PositionTable.LockAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        if (!Equals(await ShardTable.MapAsync(transaction, target.Target, cancellation).ConfigureAwait(false), to.Map))
            throw new FencedException($"'{target.Target}' has other shards now.");
        target = target with { Epoch = target.Epoch + 1 };
        await TargetTable.UpdateAsync(transaction, target, cancellation).ConfigureAwait(false);
        // From the lanes' slices, so that a reset also mends positions that do not cover them.
        var lanes = await LaneTable.SlicesAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await PositionTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await PositionTable.InsertAsync(
            transaction, target.Target, target.Epoch, LaneLayout.Cut(to.Rows, lanes), 0, cancellation).ConfigureAwait(false);
        await LaneTable.ForgetReachedAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        foreach (var place in to.Rows)
            await DeadLetterTable.DeleteAboveAsync(transaction, target.Target, place, cancellation).ConfigureAwait(false);
        if (prepare is not null)
            await prepare(new(target.Target, transaction.Lent), cancellation).ConfigureAwait(false);
    }

    internal static async Task SwapAsync(
        StoreTransaction transaction, CommandRow command, string from, Func<ReadModelScope, CancellationToken, Task> swap,
        CancellationToken cancellation)
    {
        await EndAsync(transaction, command, CommandResults.Swapped(command.Target, from), cancellation).ConfigureAwait(false);
        var rows = await TargetTable.LockAsync(transaction, cancellation, from, command.Target).ConfigureAwait(false);
        var live = Expect(rows, from, TargetRole.Live);
        var built = Expect(rows, command.Target, TargetRole.Building);
        if (live.Name != built.Name)
            throw new FencedException($"'{built.Target}' is of the projection '{built.Name}', and '{from}' of '{live.Name}'.");
        foreach (var target in new[] { live with { Role = TargetRole.Retired }, built with { Role = TargetRole.Live } })
        {
            await PositionTable.LockAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
            await TargetTable.UpdateAsync(transaction, target with { Epoch = target.Epoch + 1 }, cancellation).ConfigureAwait(false);
            await PositionTable.SetEpochAsync(transaction, target.Target, target.Epoch + 1, cancellation).ConfigureAwait(false);
        }
        await swap(new(command.Target, transaction.Lent), cancellation).ConfigureAwait(false);
    }

    internal static async Task DropAsync(
        StoreTransaction transaction, CommandRow command, Func<ReadModelScope, CancellationToken, Task> drop, CancellationToken cancellation)
    {
        await EndAsync(transaction, command, CommandResults.Dropped(command.Target), cancellation).ConfigureAwait(false);
        var target = await TargetTable.LockOneAsync(transaction, command.Target, cancellation).ConfigureAwait(false);
        if (target.Role == TargetRole.Live)
            throw new FencedException($"'{target.Target}' is live now.");
        await PositionTable.LockAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await PositionTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await DeadLetterTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await LaneTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await ShardTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await CommandTable.RefuseAllAsync(transaction, target.Target, $"'{target.Target}' was dropped.", cancellation).ConfigureAwait(false);
        await TargetTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await drop(new(target.Target, transaction.Lent), cancellation).ConfigureAwait(false);
    }

    internal static string Uncovered(string target, SliceRange slices) => FormattableString.Invariant(
        $"The positions of '{target}' in {StoreTables.Position} do not cover slices {slices.First}-{slices.Last}; each slice must be in one row. Reset the projection, or restore its rows.");

    private static async Task CarryAsync(
        StoreTransaction transaction, string target, IReadOnlyList<StoredPosition> positions, ShardMap? to, CancellationToken cancellation)
    {
        var from = await ShardTable.MapAsync(transaction, target, cancellation).ConfigureAwait(false);
        if (Equals(from, to))
            return;
        if (ShardPositions.Unmergeable(positions, from, to) is { } shard)
            throw new ProjectionException(
                $"The positions of '{target}' are of the shards \"{from}\", but the journal has {(to is null ? "none" : $"\"{to}\"")}: "
                + $"in slices {shard} are events of several of them now, whose orderings cannot be compared. Open the journal with the shards as they were and "
                + "reset the read model, or give the projection another 'Name', which builds a read model beside the old one.");
        await ShardTable.ReplaceAsync(transaction, target, to, cancellation).ConfigureAwait(false);
    }

    private static Task EndAsync(StoreTransaction transaction, CommandRow command, string result, CancellationToken cancellation) =>
        CommandTable.EndAsync(transaction, command.Id, CommandState.Done, result, cancellation);

    private static TargetRow Expect(List<TargetRow> rows, string target, TargetRole role)
    {
        var row = rows.SingleOrDefault(row => row.Target == target) ?? throw new FencedException($"'{target}' is not there any more.");
        return row.Role == role ? row : throw new FencedException($"'{target}' is {row.Role}, and not {role} any more.");
    }
}
