using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

/// <summary>
/// Changes that affect all lanes of a version. Each first ends its command: if two processes execute it, the second finds it ended. Then it locks
/// the offsets. It holds no other lock while the handler's own code runs, so processes can still renew their leases. Finally it locks the version's
/// row, and writes both under a new epoch. Creating a version inserts its row first, because the name may be taken.
/// </summary>
internal static class VersionChanges
{
    internal static async Task<bool> CreateAsync(
        DatabaseTransaction transaction, VersionRow version, SliceRange slices, Func<ReadModelScope, CancellationToken, Task> prepare, CommandRow? command)
    {
        version = version with { CountedFrom = LaneSlices.Within(version.StartOn(version.Map).Rows, slices).Sum(row => row.Ordering) };
        // Its hook would empty the table of the other one.
        if (await VersionNames.FindAlikeAsync(transaction, version.Version).ConfigureAwait(false) is not null
            || !await VersionTable.InsertAsync(transaction, version).ConfigureAwait(false))
            return false;
        if (command is not null)
            await CommandTable.EndAsync(transaction, command.Id, CommandResults.Built(version.Version)).ConfigureAwait(false);
        var lanes = version.Layout.Of(slices);
        var offsets = LaneSlices.Cut(version.StartOn(version.Map).Rows, lanes);
        await OffsetTable.InsertAsync(transaction, version.Version, version.Epoch, offsets, default).ConfigureAwait(false);
        await LaneTable.InsertAsync(transaction, version.Version, lanes).ConfigureAwait(false);
        await ShardTable.ReplaceAsync(transaction, version.Version, version.Map).ConfigureAwait(false);
        await RunHookAsync(transaction, version.Version, version.Role, prepare).ConfigureAwait(false);
        return true;
    }

    internal static async Task LayOutAsync(
        DatabaseTransaction transaction, VersionRow known, SliceRange slices, LaneLayout lanes, CommandRow? command)
    {
        if (command is not null)
            await CommandTable.EndAsync(transaction, command.Id, CommandResults.Divided(known.Version, lanes.Lanes)).ConfigureAwait(false);
        var offsets = await OffsetTable.LockAsync(transaction, known.Version).ConfigureAwait(false);
        var version = await VersionTable.LockAsync(transaction, known.Version).ConfigureAwait(false);
        if (version.Epoch != known.Epoch)
            throw new FencedException(FormattableString.Invariant($"'{version.Version}' has epoch {version.Epoch}, and not {known.Epoch} any more."));
        if (!OffsetTable.Cover(offsets, slices))
            throw new ProjectionException(Uncovered(version.Version, slices));
        var from = await CarryAsync(transaction, version.Version, offsets, lanes.Map).ConfigureAwait(false);
        var layout = lanes.Of(slices);
        // A sum over shards. The old shards' orderings are those of the new ones, so it grows with the number of shards.
        var counted = version.CountedFrom * lanes.Map.ShardsOf(slices).Count() / from.ShardsOf(slices).Count();
        version = version with { Lanes = lanes.Lanes, Epoch = version.Epoch + 1, CountedFrom = counted };
        await VersionTable.UpdateAsync(transaction, version).ConfigureAwait(false);
        var events = await OffsetTable.DeleteAsync(transaction, version.Version).ConfigureAwait(false);
        await OffsetTable.InsertAsync(transaction, version.Version, version.Epoch, LaneSlices.Cut(offsets, layout), events)
            .ConfigureAwait(false);
        await LaneTable.DeleteAsync(transaction, version.Version).ConfigureAwait(false);
        await LaneTable.InsertAsync(transaction, version.Version, layout).ConfigureAwait(false);
    }

    internal static async Task<CommandOutcome> ResetAsync(
        DatabaseTransaction transaction, CommandRow command, JournalPoint to, Func<ReadModelScope, CancellationToken, Task>? prepare)
    {
        var outcome = CommandResults.GoesOn(command.Version, to, prepare is not null);
        await CommandTable.EndAsync(transaction, command.Id, outcome).ConfigureAwait(false);
        var handled = await OffsetTable.LockAsync(transaction, command.Version).ConfigureAwait(false);
        if (!Equals(await ShardTable.MapAsync(transaction, command.Version).ConfigureAwait(false), to.Map))
            throw new FencedException($"'{command.Version}' has other shards now.");
        if (prepare is not null)
        {
            var role = (await VersionTable.ReadOneAsync(transaction, command.Version).ConfigureAwait(false)).Role;
            await RunHookAsync(transaction, command.Version, role, prepare).ConfigureAwait(false);
        }
        var version = await VersionTable.LockAsync(transaction, command.Version).ConfigureAwait(false);
        // It has events from before its start then, and a rebuild must have them too.
        version = (version with { Epoch = version.Epoch + 1, History = version.History.After(handled), CountedFrom = to.Rows.Sum(row => row.Ordering) })
            .StartingAfter(version.StartOn(to.Map).OrBefore(to));
        await VersionTable.UpdateAsync(transaction, version).ConfigureAwait(false);
        // Cut along the lanes' slices, so a reset also repairs offsets that do not cover them.
        var lanes = await LaneTable.SlicesAsync(transaction, version.Version).ConfigureAwait(false);
        await OffsetTable.DeleteAsync(transaction, version.Version).ConfigureAwait(false);
        await OffsetTable.InsertAsync(
            transaction, version.Version, version.Epoch, LaneSlices.Cut(to.Rows, lanes), default).ConfigureAwait(false);
        await LaneTable.ResetAsync(transaction, version.Version).ConfigureAwait(false);
        var deadLetters = 0;
        foreach (var offset in to.Rows)
            deadLetters += await DeadLetterTable.DeleteAboveAsync(transaction, version.Version, offset).ConfigureAwait(false);
        if (deadLetters > 0)
        {
            outcome = outcome.Without(deadLetters);
            await CommandTable.SetResultAsync(transaction, command.Id, outcome.Result).ConfigureAwait(false);
        }
        // Last, when all offsets are locked: no lane executes a command meanwhile.
        await CommandTable.RefuseOfLanesAsync(transaction, version, CommandResults.ResetAway(command.Id), ofIdsWithout: true).ConfigureAwait(false);
        return outcome;
    }

    internal static async Task SwapAsync(
        DatabaseTransaction transaction, CommandRow command, string from, Func<ReadModelScope, CancellationToken, Task> swap)
    {
        await CommandTable.EndAsync(transaction, command.Id, CommandResults.Swapped(command.Version, from)).ConfigureAwait(false);
        string[] both = [.. new[] { from, command.Version }.Order(StringComparer.Ordinal)];
        foreach (var version in both)
            await OffsetTable.LockAsync(transaction, version).ConfigureAwait(false);
        // Roles change only while the offsets are locked.
        var live = Expect(await VersionTable.ReadOneAsync(transaction, from).ConfigureAwait(false), VersionRole.Live);
        var built = Expect(await VersionTable.ReadOneAsync(transaction, command.Version).ConfigureAwait(false), VersionRole.Building);
        if (live.Projection != built.Projection)
            throw new FencedException($"'{built.Version}' is of the projection '{built.Projection}', and '{from}' of '{live.Projection}'.");
        await RunHookAsync(transaction, command.Version, VersionRole.Live, swap).ConfigureAwait(false);
        foreach (var name in both)
        {
            var version = await VersionTable.LockAsync(transaction, name).ConfigureAwait(false);
            version = version with { Role = name == from ? VersionRole.Retired : VersionRole.Live, Epoch = version.Epoch + 1 };
            await VersionTable.UpdateAsync(transaction, version).ConfigureAwait(false);
            await OffsetTable.SetEpochAsync(transaction, version.Version, version.Epoch).ConfigureAwait(false);
        }
        await CommandTable.RefuseOfLanesAsync(transaction, live, CommandResults.SwappedAway(from, command.Id), ofIdsWithout: false).ConfigureAwait(false);
    }

    internal static async Task DropAsync(DatabaseTransaction transaction, CommandRow command, Func<ReadModelScope, CancellationToken, Task> drop)
    {
        await CommandTable.EndAsync(transaction, command.Id, CommandResults.Dropped(command.Version)).ConfigureAwait(false);
        await OffsetTable.LockAsync(transaction, command.Version).ConfigureAwait(false);
        var version = await VersionTable.ReadOneAsync(transaction, command.Version).ConfigureAwait(false);
        if (version.Role == VersionRole.Live)
            throw new FencedException($"'{version.Version}' is live now.");
        await RunHookAsync(transaction, version.Version, version.Role, drop).ConfigureAwait(false);
        await VersionTable.LockAsync(transaction, version.Version).ConfigureAwait(false);
        await OffsetTable.DeleteAsync(transaction, version.Version).ConfigureAwait(false);
        await DeadLetterTable.DeleteAsync(transaction, version.Version).ConfigureAwait(false);
        await LaneTable.DeleteAsync(transaction, version.Version).ConfigureAwait(false);
        await ShardTable.DeleteAsync(transaction, version.Version).ConfigureAwait(false);
        await CommandTable.RefuseAllAsync(transaction, version, $"'{version.Version}' was dropped.").ConfigureAwait(false);
        await VersionTable.DeleteAsync(transaction, version.Version).ConfigureAwait(false);
    }

    internal static string Uncovered(string version, SliceRange slices) => FormattableString.Invariant(
        $"The offsets of '{version}' in {Schema.Offset} do not cover slices {slices.First}-{slices.Last}; each slice must be in one row. Reset the projection, or restore its rows.");

    /// <summary>Replaces the shard map, and returns the one before.</summary>
    private static async Task<ShardMap> CarryAsync(DatabaseTransaction transaction, string version, IReadOnlyList<SliceOffset> offsets, ShardMap to)
    {
        var from = await ShardTable.MapAsync(transaction, version).ConfigureAwait(false);
        if (Equals(from, to))
            return from;
        if (ShardOffsets.Unmergeable(offsets, from, to) is { } shard)
            throw new ProjectionException(
                $"The offsets of '{version}' are of the shards \"{from}\", but the journal has {(to.Count == 1 ? "none" : $"\"{to}\"")}: "
                + $"the slices {shard} are in one shard now, and orderings of several shards cannot be compared. Open the journal with the old shards and "
                + "reset the read model, or give the projection another 'Name', which builds a read model beside the old one.");
        await ShardTable.ReplaceAsync(transaction, version, to).ConfigureAwait(false);
        return from;
    }

    private static async Task RunHookAsync(
        DatabaseTransaction transaction, string version, VersionRole role, Func<ReadModelScope, CancellationToken, Task> hook)
    {
        var scope = new ReadModelScope(version, role, transaction.ForHandler, transaction.Dialect);
        await scope.RunAsync(
            async () =>
            {
                await hook(scope, transaction.Cancellation).ConfigureAwait(false);
                return true;
            },
            transaction.Cancellation).ConfigureAwait(false);
        await transaction.CheckNotAbortedAsync().ConfigureAwait(false);
    }

    private static VersionRow Expect(VersionRow row, VersionRole role) =>
        row.Role == role ? row : throw new FencedException($"'{row.Version}' is {VersionNames.Text(row.Role)}, and not {VersionNames.Text(role)} any more.");
}

internal static class CommandResults
{
    internal static CommandOutcome Built(string version) => CommandOutcome.Done($"'{version}' is being built.");

    internal static CommandOutcome GoesOn(string version, JournalPoint point, bool isAnew) => CommandOutcome.Done(isAnew
        ? $"'{version}' is empty and begins {(point.IsFirstEvent ? "with the first event" : $"after {point}")}."
        : $"'{version}' goes on after {point}.");

    internal static CommandOutcome Without(this CommandOutcome reset, int deadLetters) => CommandOutcome.Done(deadLetters == 1
        ? $"{reset.Result} 1 dead letter was removed; its event comes again as a replay."
        : FormattableString.Invariant($"{reset.Result} {deadLetters} dead letters were removed; their events come again as replays."));

    internal static CommandOutcome Divided(string version, int lanes) => CommandOutcome.Done(FormattableString.Invariant($"'{version}' has {lanes} lanes."));

    internal static CommandOutcome Swapped(string version, string from) => CommandOutcome.Done($"'{version}' is live, '{from}' is retired.");

    internal static string ResetAway(long id) => FormattableString.Invariant($"The dead letters were removed by the reset of command {id}; their events come again as replays.");

    internal static string SwappedAway(string version, long id) => FormattableString.Invariant($"'{version}' was retired by the swap of command {id}, so its dead letters are not handled any more.");

    internal static CommandOutcome Dropped(string version) => CommandOutcome.Done($"'{version}' is dropped.");
}
