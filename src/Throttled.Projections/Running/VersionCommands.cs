using Throttled.Projections.Diagnostics;
using Throttled.Projections.Handlers;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

internal sealed class VersionCommands(ProjectionContext context)
{
    private readonly ProjectionOptions _options = context.Options;
    private readonly IProjectionStore _store = context.Store;
    private readonly HandlerHooks _hooks = new(context);

    /// <summary>A refused command has not ended yet.</summary>
    internal Task<CommandOutcome> ExecuteAsync(CommandRow command, ProjectionSnapshot snapshot, CancellationToken cancellation)
    {
        if (command.Unreadable is { } why)
            return RefusedAsync($"The command is not valid: {why}");
        var version = snapshot.Versions.FirstOrDefault(row => row.Version == command.Version);
        if (command.Verb == CommandVerb.Rebuild)
            return version is null ? RebuildAsync(command, snapshot, cancellation) : RefusedAsync($"{Itself(command)} is there already; use another name, or drop it first.");
        if (version is null)
            return RefusedAsync($"The projection '{_options.Name}' has no read model '{command.Version}'; the status shows those that it has.");
        return command.Verb switch
        {
            CommandVerb.Reset => ResetAsync(command, version, cancellation),
            CommandVerb.Swap or CommandVerb.ForcedSwap => SwapAsync(command, version, snapshot, cancellation),
            CommandVerb.Drop => DropAsync(command, version, cancellation),
            CommandVerb.SetLanes => SetLanesAsync(command, version, cancellation),
            _ when version.Role == VersionRole.Retired => RefusedAsync($"{Itself(command)} is retired, so its dead letters are not handled any more. Drop the read model."),
            _ => RefusedAsync($"The command is not valid: {command.Refusal}"),
        };
    }

    private async Task<CommandOutcome> RebuildAsync(CommandRow command, ProjectionSnapshot snapshot, CancellationToken cancellation)
    {
        if (command.Version.Length is 0 or > ProjectionOptionsValidation.MaxNameLength)
            return Refused(FormattableString.Invariant($"The name of a read model has from 1 to {ProjectionOptionsValidation.MaxNameLength} characters, and this one has {command.Version.Length}; use another name."));
        if (ProjectionOptionsValidation.UnfitForTable(command.Version) is { } why)
            return Refused($"The name '{command.Version}' {why}; use another name.");
        if (context.Handler.Delivery is { RunsInRebuild: false })
            return Refused(RebuildRule.Refusal(_options.Name));
        var live = LiveOf(snapshot);
        var handled = (await ReadAsync(live.Version, cancellation).ConfigureAwait(false)).Offsets;
        var row = new VersionRow(
            command.Version, _options.Name, VersionRole.Building, _options.Source.ToString(), live.Lanes, VersionLayout.FirstEpoch(_options), false, 0)
        {
            Map = context.Map,
            History = live.History.After(handled) with { Version = command.Version },
            StartOffset = live.StartOffset,
        };
        // The name is not in the snapshot, but it may belong to another projection, or have been taken since.
        return await _store.CreateVersionAsync(row, VersionLayout.SlicesOf(_options), _hooks.PrepareAsync, command, cancellation).ConfigureAwait(false)
            ? CommandResults.Built(row.Version)
            : Refused($"The name '{row.Version}' belongs to another projection's read model, to one that was made meanwhile, or differs from one only in case; use another name.");
    }

    private async Task<CommandOutcome> ResetAsync(CommandRow command, VersionRow version, CancellationToken cancellation)
    {
        if (version.Role == VersionRole.Retired)
            return Refused($"{Itself(command)} is retired: nothing writes it any more. Reset the live one, or rebuild under another name.");
        var point = await new PointSearch(context).FindAsync(command, version, cancellation).ConfigureAwait(false);
        var isAnew = command.IsToStart || (command.Timestamp is null && point.IsFirstEvent);
        return await _store.ResetAsync(command, point, isAnew ? _hooks.PrepareAsync : null, cancellation).ConfigureAwait(false);
    }

    private async Task<CommandOutcome> SwapAsync(CommandRow command, VersionRow version, ProjectionSnapshot snapshot, CancellationToken cancellation)
    {
        if (version.Role != VersionRole.Building)
            return Refused($"{Itself(command)} is {(version.Role == VersionRole.Live ? "the live one already" : "retired")}; only one that is being rebuilt can be swapped in.");
        var (live, lanes) = (LiveOf(snapshot).Version, LiveOf(snapshot).Lanes);
        var record = await ReadAsync(version.Version, cancellation).ConfigureAwait(false);
        if (command.Verb == CommandVerb.Swap && LossOf(command, record, snapshot) is { } loss)
            return Refused(loss);
        var (built, at) = (record.Offsets, (await ReadAsync(live, cancellation).ConfigureAwait(false)).Offsets);
        var behind = context.Shards.Sum(shard => Math.Max(0, ShardOffsets.Lowest(at, shard.Slices) - ShardOffsets.Lowest(built, shard.Slices)));
        // Under load both versions are about a batch behind the journal, and either of them may be ahead.
        var most = (long)_options.BatchSize * lanes;
        if (behind > most)
            return Refused(FormattableString.Invariant(
                $"{Itself(command)} has reached ordering {ShardOffsets.Text(built, context.Map)}, which is {behind} behind the live one at {ShardOffsets.Text(at, context.Map)}; swap again when it is {most} behind or less."));
        await _store.SwapAsync(command, live, (scope, token) => _hooks.SwapAsync(live, scope, token), cancellation).ConfigureAwait(false);
        return CommandResults.Swapped(version.Version, live);
    }

    private async Task<CommandOutcome> SetLanesAsync(CommandRow command, VersionRow version, CancellationToken cancellation)
    {
        if (version.Role == VersionRole.Retired)
            return Refused($"{Itself(command)} is retired: nothing writes it any more. Set the lanes of the live one.");
        var (least, most) = (context.Shards.Count, VersionLayout.SlicesOf(_options).Count);
        if (command.Lanes is not { } lanes || lanes < least || lanes > most)
            return Refused(FormattableString.Invariant(
                $"{Itself(command)} cannot have {command.Lanes ?? 0} lanes; it must be from {least}, the shards of the journal, to {most}, the slices of its source."));
        if (lanes == version.Lanes)
            return Refused(FormattableString.Invariant($"{Itself(command)} has {lanes} lanes already."));
        await _store.LayOutAsync(version, VersionLayout.SlicesOf(_options), new(lanes, context.Map), command, cancellation).ConfigureAwait(false);
        return CommandResults.Divided(version.Version, lanes);
    }

    private async Task<CommandOutcome> DropAsync(CommandRow command, VersionRow version, CancellationToken cancellation)
    {
        if (version.Role == VersionRole.Live)
            return Refused($"{Itself(command)} is the live one; swap another in its place first.");
        await _store.DropAsync(command, _hooks.DropAsync, cancellation).ConfigureAwait(false);
        return CommandResults.Dropped(version.Version);
    }

    // Checks what readers would miss. Offsets do not show which events became dead letters.
    private string? LossOf(CommandRow command, LaneCheckpoint built, ProjectionSnapshot snapshot)
    {
        int[] failed = [.. snapshot.Lanes.Where(lane => lane.Version == command.Version && lane.Status.State == LaneState.Failed).Select(lane => lane.Lane)];
        List<string> losses = [];
        if (built.DeadLetters > 0)
            losses.Add(built.DeadLetters == 1 ? "1 dead letter" : FormattableString.Invariant($"{built.DeadLetters} dead letters"));
        if (failed.Length > 0)
            losses.Add($"{(failed.Length == 1 ? "the failed lane" : "the failed lanes")} {string.Join(", ", failed)}");
        return losses.Count == 0 ? null
            : $"{Itself(command)} has {string.Join(" and ", losses)}: readers would miss these events. Retry or discard dead letters and resume failed lanes, then swap again. "
                + "To swap all the same, swap by force.";
    }

    private static VersionRow LiveOf(ProjectionSnapshot snapshot) => snapshot.Versions.First(row => row.Role == VersionRole.Live);

    private Task<LaneCheckpoint> ReadAsync(string version, CancellationToken cancellation) =>
        _store.ReadLaneAsync(version, VersionLayout.SlicesOf(_options), cancellation);

    private string Itself(CommandRow command) => $"The read model '{command.Version}' of the projection '{_options.Name}'";

    private static Task<CommandOutcome> RefusedAsync(string reason) => Task.FromResult(Refused(reason));

    private static CommandOutcome Refused(string reason) => CommandOutcome.Refused(reason);
}

/// <summary>Runs the handler's own code. Errors that a retry may cure are not wrapped.</summary>
internal sealed class HandlerHooks(ProjectionContext context)
{
    private readonly ProjectionHandler _handler = context.Handler;

    internal Task PrepareAsync(ReadModelScope scope, CancellationToken cancellation) =>
        RunAsync("PrepareAsync", () => _handler.PrepareAsync(scope, cancellation), cancellation);

    internal Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellation) =>
        RunAsync("SwapAsync", () => _handler.SwapAsync(from, to, cancellation), cancellation);

    internal Task DropAsync(ReadModelScope scope, CancellationToken cancellation) =>
        RunAsync("DropAsync", () => _handler.DropAsync(scope, cancellation), cancellation);

    // An error that a retry may cure is not the handler's fault.
    private async Task RunAsync(string name, Func<Task> hook, CancellationToken cancellation)
    {
        try
        {
            await hook().ConfigureAwait(false);
        }
        catch (Exception error) when (!cancellation.IsCancellationRequested && !context.Store.IsTransient(error))
        {
            throw new HookException(name, error);
        }
    }
}

internal sealed class HookException(string hook, Exception cause)
    : Exception($"The handler's {hook} failed: {ErrorText.Of(cause)}.", cause);
