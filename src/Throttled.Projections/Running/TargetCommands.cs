using Throttled.Projections.Positions;
using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>What resets, rebuilds, swaps, divides and drops versions, and when that is refused.</summary>
internal sealed class TargetCommands(ProjectionParts parts)
{
    private const int LongestName = 200;

    private readonly ProjectionOptions _options = parts.Options;
    private readonly IProjectionStore _store = parts.Store;
    private readonly HandlerHooks _hooks = new(parts);

    /// <param name="command">One that a leader executes, or that nobody runs any more.</param>
    /// <param name="snapshot">The projection as it was just read.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>What was done, or why it cannot be: then it has not ended.</returns>
    internal Task<CommandOutcome> ExecuteAsync(CommandRow command, ProjectionSnapshot snapshot, CancellationToken cancellation)
    {
        if (command.Unreadable is { } why)
            return RefusedAsync($"The command is none: {why}");
        var target = snapshot.Targets.FirstOrDefault(row => row.Target == command.Target);
        if (command.Verb == CommandVerb.Rebuild)
            return target is null ? RebuildAsync(command, snapshot, cancellation) : RefusedAsync($"{Itself(command)} is there already; use another name, or drop it first.");
        if (target is null)
            return RefusedAsync($"The projection '{_options.Name}' has no read model '{command.Target}'; the status shows those that it has.");
        return command.Verb switch
        {
            CommandVerb.Reset => ResetAsync(command, target, cancellation),
            CommandVerb.Swap or CommandVerb.ForcedSwap => SwapAsync(command, target, snapshot, cancellation),
            CommandVerb.Drop => DropAsync(command, target, cancellation),
            CommandVerb.SetLanes => SetLanesAsync(command, target, cancellation),
            _ when target.Role == TargetRole.Retired => RefusedAsync($"{Itself(command)} is retired, and its dead letters with it; drop it."),
            _ => RefusedAsync($"The command is none: {command.Refusal}"),
        };
    }

    private async Task<CommandOutcome> RebuildAsync(CommandRow command, ProjectionSnapshot snapshot, CancellationToken cancellation)
    {
        if (command.Target.Length is 0 or > LongestName)
            return Refused(FormattableString.Invariant($"The name of a read model has from 1 to {LongestName} characters, and this one has {command.Target.Length}; use another name."));
        var row = new TargetRow(
            command.Target, _options.Name, TargetRole.Building, _options.Source.ToString(), LiveOf(snapshot).Lanes, TargetLayout.FirstEpoch(_options), false, 0, 0)
        {
            Map = parts.Map,
        };
        // It is not in the snapshot, but the name may be another projection's, or have been taken since.
        return await _store.CreateTargetAsync(row, TargetLayout.SlicesOf(_options), _hooks.PrepareAsync, command, cancellation).ConfigureAwait(false)
            ? Done(CommandResults.Built(row.Target))
            : Refused($"The name '{row.Target}' belongs to another projection's read model, or to one that was made meanwhile; use another name.");
    }

    private async Task<CommandOutcome> ResetAsync(CommandRow command, TargetRow target, CancellationToken cancellation)
    {
        if (target.Role == TargetRole.Retired)
            return Refused($"{Itself(command)} is retired: nothing writes it any more. Reset the live one, or rebuild under another name.");
        var place = await new ResetSearch(parts).FindAsync(command, cancellation).ConfigureAwait(false);
        var isAnew = command.Timestamp is null && place.IsStart;
        await _store.ResetAsync(command, place, isAnew ? _hooks.PrepareAsync : null, cancellation).ConfigureAwait(false);
        return Done(CommandResults.GoesOn(target.Target, place, isAnew));
    }

    private async Task<CommandOutcome> SwapAsync(CommandRow command, TargetRow target, ProjectionSnapshot snapshot, CancellationToken cancellation)
    {
        if (target.Role != TargetRole.Building)
            return Refused($"{Itself(command)} is {(target.Role == TargetRole.Live ? "the live one already" : "retired")}; only one that is being rebuilt can be swapped in.");
        var (live, lanes) = (LiveOf(snapshot).Target, LiveOf(snapshot).Lanes);
        var record = await ReadAsync(target.Target, cancellation).ConfigureAwait(false);
        if (command.Verb == CommandVerb.Swap && LossOf(command, record, snapshot) is { } loss)
            return Refused(loss);
        var (built, at) = (record.Positions, (await ReadAsync(live, cancellation).ConfigureAwait(false)).Positions);
        var behind = parts.Shards.Sum(shard => Math.Max(0, ShardPositions.Lowest(at, shard.Slices) - ShardPositions.Lowest(built, shard.Slices)));
        // Under load both are always a batch or so behind the journal, and which one is ahead is chance.
        var most = (long)_options.BatchSize * lanes;
        if (behind > most)
            return Refused(FormattableString.Invariant(
                $"{Itself(command)} has reached ordering {ShardPositions.Text(built, parts.Map)}, which is {behind} behind the live one at {ShardPositions.Text(at, parts.Map)}; swap again when it is {most} behind or less."));
        await _store.SwapAsync(command, live, (scope, token) => _hooks.SwapAsync(live, scope, token), cancellation).ConfigureAwait(false);
        return Done(CommandResults.Swapped(target.Target, live));
    }

    private async Task<CommandOutcome> SetLanesAsync(CommandRow command, TargetRow target, CancellationToken cancellation)
    {
        if (target.Role == TargetRole.Retired)
            return Refused($"{Itself(command)} is retired: nothing writes it any more. Set the lanes of the live one.");
        var (least, most) = (parts.Shards.Count, TargetLayout.SlicesOf(_options).Count);
        if (command.Lanes is not { } lanes || lanes < least || lanes > most)
            return Refused(FormattableString.Invariant(
                $"{Itself(command)} cannot have {command.Lanes ?? 0} lanes; it must be from {least}, the shards of the journal, to {most}, the slices of its source."));
        if (lanes == target.Lanes)
            return Refused(FormattableString.Invariant($"{Itself(command)} has {lanes} lanes already."));
        await _store.LayOutAsync(target, TargetLayout.SlicesOf(_options), new(lanes, parts.Map), command, cancellation).ConfigureAwait(false);
        return Done(CommandResults.Divided(target.Target, lanes));
    }

    private async Task<CommandOutcome> DropAsync(CommandRow command, TargetRow target, CancellationToken cancellation)
    {
        if (target.Role == TargetRole.Live)
            return Refused($"{Itself(command)} is the live one; swap another in its place first.");
        await _store.DropAsync(command, _hooks.DropAsync, cancellation).ConfigureAwait(false);
        return Done(CommandResults.Dropped(target.Target));
    }

    // What readers would miss: offsets say that events were handled or stored as dead letters, and not which.
    private string? LossOf(CommandRow command, LaneRecord built, ProjectionSnapshot snapshot)
    {
        int[] failed = [.. snapshot.Lanes.Where(lane => lane.Target == command.Target && lane.State == LaneState.Failed).Select(lane => lane.Lane)];
        List<string> losses = [];
        if (built.DeadLetters > 0)
            losses.Add(built.DeadLetters == 1 ? "1 dead letter" : FormattableString.Invariant($"{built.DeadLetters} dead letters"));
        if (failed.Length > 0)
            losses.Add($"{(failed.Length == 1 ? "the failed lane" : "the failed lanes")} {string.Join(", ", failed)}");
        return losses.Count == 0 ? null
            : $"{Itself(command)} has {string.Join(" and ", losses)}: readers would miss these events. Retry or discard dead letters and resume failed lanes, then swap again. "
                + "To swap all the same, swap by force.";
    }

    private static TargetRow LiveOf(ProjectionSnapshot snapshot) => snapshot.Targets.First(row => row.Role == TargetRole.Live);

    private Task<LaneRecord> ReadAsync(string target, CancellationToken cancellation) =>
        _store.ReadLaneAsync(target, TargetLayout.SlicesOf(_options), cancellation);

    private string Itself(CommandRow command) => $"The read model '{command.Target}' of the projection '{_options.Name}'";

    private static Task<CommandOutcome> RefusedAsync(string reason) => Task.FromResult(Refused(reason));

    private static CommandOutcome Refused(string reason) => new(CommandState.Refused, reason);

    private static CommandOutcome Done(string result) => new(CommandState.Done, result);
}
