using Throttled.Journal;
using Throttled.Projections.Positions;

namespace Throttled.Projections.Store;

/// <summary>
/// What concerns all lanes of a version. Each ends its command first, so that of two processes that execute it one waits and then finds it ended; holds the
/// version's offsets, and no other row while the handler's own code runs, which may take long: processes go on to renew their claims. Then it holds the
/// target, and writes both under a new epoch. Who makes a version makes its row first: the name may be taken.
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
        await PositionTable.InsertAsync(transaction, target.Target, target.Epoch, positions, default, cancellation).ConfigureAwait(false);
        await LaneTable.InsertAsync(transaction, target.Target, lanes, cancellation).ConfigureAwait(false);
        await ShardTable.ReplaceAsync(transaction, target.Target, target.Map, cancellation).ConfigureAwait(false);
        await prepare(ScopeOf(transaction, target.Target, target.Role), cancellation).ConfigureAwait(false);
        return true;
    }

    internal static async Task LayOutAsync(
        StoreTransaction transaction, TargetRow known, SliceRange slices, LaneDivision lanes, CommandRow? command, CancellationToken cancellation)
    {
        if (command is not null)
            await EndAsync(transaction, command, CommandResults.Divided(known.Target, lanes.Lanes), cancellation).ConfigureAwait(false);
        var positions = await PositionTable.LockAsync(transaction, known.Target, cancellation).ConfigureAwait(false);
        var target = await TargetTable.LockAsync(transaction, known.Target, cancellation).ConfigureAwait(false);
        if (target.Epoch != known.Epoch)
            throw new FencedException(FormattableString.Invariant($"'{target.Target}' has epoch {target.Epoch}, and not {known.Epoch} any more."));
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
        await PositionTable.LockAsync(transaction, command.Target, cancellation).ConfigureAwait(false);
        if (!Equals(await ShardTable.MapAsync(transaction, command.Target, cancellation).ConfigureAwait(false), to.Map))
            throw new FencedException($"'{command.Target}' has other shards now.");
        if (prepare is not null)
        {
            var role = (await TargetTable.ReadOneAsync(transaction, command.Target, cancellation).ConfigureAwait(false)).Role;
            await LendAsync(transaction, command.Target, role, prepare, cancellation).ConfigureAwait(false);
        }
        var target = await TargetTable.LockAsync(transaction, command.Target, cancellation).ConfigureAwait(false);
        target = target with { Epoch = target.Epoch + 1 };
        await TargetTable.UpdateAsync(transaction, target, cancellation).ConfigureAwait(false);
        // From the lanes' slices, so that a reset also mends offsets that do not cover them.
        var lanes = await LaneTable.SlicesAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await PositionTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await PositionTable.InsertAsync(
            transaction, target.Target, target.Epoch, LaneLayout.Cut(to.Rows, lanes), default, cancellation).ConfigureAwait(false);
        await LaneTable.ForgetReachedAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        foreach (var place in to.Rows)
            await DeadLetterTable.DeleteAboveAsync(transaction, target.Target, place, cancellation).ConfigureAwait(false);
    }

    internal static async Task SwapAsync(
        StoreTransaction transaction, CommandRow command, string from, Func<ReadModelScope, CancellationToken, Task> swap,
        CancellationToken cancellation)
    {
        await EndAsync(transaction, command, CommandResults.Swapped(command.Target, from), cancellation).ConfigureAwait(false);
        string[] both = [.. new[] { from, command.Target }.Order(StringComparer.Ordinal)];
        foreach (var target in both)
            await PositionTable.LockAsync(transaction, target, cancellation).ConfigureAwait(false);
        // Roles change with the offsets held.
        var live = Expect(await TargetTable.ReadOneAsync(transaction, from, cancellation).ConfigureAwait(false), TargetRole.Live);
        var built = Expect(await TargetTable.ReadOneAsync(transaction, command.Target, cancellation).ConfigureAwait(false), TargetRole.Building);
        if (live.Name != built.Name)
            throw new FencedException($"'{built.Target}' is of the projection '{built.Name}', and '{from}' of '{live.Name}'.");
        await LendAsync(transaction, command.Target, TargetRole.Live, swap, cancellation).ConfigureAwait(false);
        foreach (var name in both)
        {
            var target = await TargetTable.LockAsync(transaction, name, cancellation).ConfigureAwait(false);
            target = target with { Role = name == from ? TargetRole.Retired : TargetRole.Live, Epoch = target.Epoch + 1 };
            await TargetTable.UpdateAsync(transaction, target, cancellation).ConfigureAwait(false);
            await PositionTable.SetEpochAsync(transaction, target.Target, target.Epoch, cancellation).ConfigureAwait(false);
        }
    }

    internal static async Task DropAsync(
        StoreTransaction transaction, CommandRow command, Func<ReadModelScope, CancellationToken, Task> drop, CancellationToken cancellation)
    {
        await EndAsync(transaction, command, CommandResults.Dropped(command.Target), cancellation).ConfigureAwait(false);
        await PositionTable.LockAsync(transaction, command.Target, cancellation).ConfigureAwait(false);
        var target = await TargetTable.ReadOneAsync(transaction, command.Target, cancellation).ConfigureAwait(false);
        if (target.Role == TargetRole.Live)
            throw new FencedException($"'{target.Target}' is live now.");
        await LendAsync(transaction, target.Target, target.Role, drop, cancellation).ConfigureAwait(false);
        await TargetTable.LockAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await PositionTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await DeadLetterTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await LaneTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await ShardTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
        await CommandTable.RefuseAllAsync(transaction, target.Target, $"'{target.Target}' was dropped.", cancellation).ConfigureAwait(false);
        await TargetTable.DeleteAsync(transaction, target.Target, cancellation).ConfigureAwait(false);
    }

    internal static string Uncovered(string target, SliceRange slices) => FormattableString.Invariant(
        $"The offsets of '{target}' in {StoreTables.Position} do not cover slices {slices.First}-{slices.Last}; each slice must be in one row. Reset the projection, or restore its rows.");

    private static async Task CarryAsync(
        StoreTransaction transaction, string target, IReadOnlyList<StoredPosition> positions, ShardMap? to, CancellationToken cancellation)
    {
        var from = await ShardTable.MapAsync(transaction, target, cancellation).ConfigureAwait(false);
        if (Equals(from, to))
            return;
        if (ShardPositions.Unmergeable(positions, from, to) is { } shard)
            throw new ProjectionException(
                $"The offsets of '{target}' are of the shards \"{from}\", but the journal has {(to is null ? "none" : $"\"{to}\"")}: "
                + $"in slices {shard} are events of several of them now, whose orderings cannot be compared. Open the journal with the shards as they were and "
                + "reset the read model, or give the projection another 'Name', which builds a read model beside the old one.");
        await ShardTable.ReplaceAsync(transaction, target, to, cancellation).ConfigureAwait(false);
    }

    private static Task EndAsync(StoreTransaction transaction, CommandRow command, string result, CancellationToken cancellation) =>
        CommandTable.EndAsync(transaction, command.Id, CommandState.Done, result, cancellation);

    private static async Task LendAsync(
        StoreTransaction transaction, string target, TargetRole role, Func<ReadModelScope, CancellationToken, Task> hook, CancellationToken cancellation)
    {
        await hook(ScopeOf(transaction, target, role), cancellation).ConfigureAwait(false);
        await transaction.CheckLentAsync(cancellation).ConfigureAwait(false);
    }

    private static ReadModelScope ScopeOf(StoreTransaction transaction, string target, TargetRole role) =>
        new(target, role, transaction.Lent, transaction.Spelling.EndsLongStatements);

    private static TargetRow Expect(TargetRow row, TargetRole role) =>
        row.Role == role ? row : throw new FencedException($"'{row.Target}' is {row.Role}, and not {role} any more.");
}
