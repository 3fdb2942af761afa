using Microsoft.Extensions.Logging;
using Throttled.Projections.Databases;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

/// <summary>
/// Makes sure that a live version exists, and that all versions use this process's shards. At its start the process changes versions with other
/// shards; later it stops if another process has changed them. Only a command changes the number of lanes of a version.
/// </summary>
internal sealed class VersionLayout(ProjectionContext context, ILogger log)
{
    private readonly ProjectionOptions _options = context.Options;
    private readonly HandlerHooks _hooks = new(context);
    private readonly StartSearch _start = new(context);
    private bool _isMade;
    private bool _isDone;

    /// <summary>Returns false if something was changed; the state must then be read again.</summary>
    internal async Task<bool> HoldsAsync(ProjectionSnapshot snapshot, CancellationToken cancellation)
    {
        if (!snapshot.Versions.Any(row => row.Role == VersionRole.Live))
        {
            await CreateAsync(snapshot, cancellation).ConfigureAwait(false);
            return false;
        }
        if (!_isDone)
            _start.Forget();
        _isMade = false;
        List<VersionRow> run = [.. snapshot.Versions.Where(row => row.Role != VersionRole.Retired)];
        run.ForEach(CheckSource);
        if (run.Find(row => !Equals(row.Map, context.Map)) is { } other)
        {
            await LayOutAsync(other, cancellation).ConfigureAwait(false);
            return false;
        }
        if (!_isDone && run.Find(row => row.Role == VersionRole.Live && row.Lanes != _options.Lanes) is { } live)
            log.OtherLanes(_options.Name, live.Version, _options.Lanes, live.Lanes);
        return _isDone = true;
    }

    private async Task LayOutAsync(VersionRow other, CancellationToken cancellation)
    {
        if (_isDone)
            throw Superseded(other);
        LaneLayout layout = new(Math.Max(other.Lanes, context.Shards.Count), context.Map);
        await context.Store.LayOutAsync(other, SlicesOf(_options), layout, null, cancellation).ConfigureAwait(false);
        log.LaidOut(_options.Name, other.Version, Text(layout), Text(other.Layout));
    }

    internal static SliceRange SlicesOf(ProjectionOptions options) => new(options.Source.FirstSlice, options.Source.LastSlice);

    // Above every epoch of a dropped version with the same name. A lane of that version may still run, and must not fit the new one.
    internal static long FirstEpoch(ProjectionOptions options) => options.TimeProvider.GetUtcNow().ToUnixTimeMilliseconds();

    private async Task CreateAsync(ProjectionSnapshot snapshot, CancellationToken cancellation)
    {
        // It was created and is still missing: the store creates nothing if another projection has the name.
        if (_isMade || snapshot.Versions.Any(row => row.Version == _options.Name))
            throw new ProjectionException(
                $"A read model '{_options.Name}' is there already, and it is not the live one of a projection of this name. Give the projection another name.");
        var start = await _start.FindAsync(_options.StartAt, cancellation).ConfigureAwait(false);
        var live = new VersionRow(_options.Name, _options.Name, VersionRole.Live, _options.Source.ToString(), _options.Lanes, FirstEpoch(_options), false, 0)
        {
            Map = context.Map,
            // A projection that starts now has no history. It begins where its history ends.
            History = new(_options.Name, _options.StartAt == ProjectionStart.Now ? start.Rows : await HistoryEndsAsync(cancellation).ConfigureAwait(false)),
        }.StartingAfter(start);
        if (await MakeAsync(live, cancellation).ConfigureAwait(false))
            log.Created(_options.Name, live.Version, start.IsFirstEvent ? "with the first event" : $"after {start}");
        _isMade = true;
    }

    // Not the journal end: an event below it may commit later, and its effect would be lost. A shard that cannot be read does not delay the others.
    private async Task<IReadOnlyList<SliceOffset>> HistoryEndsAsync(CancellationToken cancellation) => await Task.WhenAll(context.Shards.Select(async shard =>
    {
        try
        {
            return new SliceOffset(shard.Slices, await shard.Now(cancellation).ConfigureAwait(false), 0);
        }
        catch (Exception) when (!cancellation.IsCancellationRequested)
        {
            return new SliceOffset(shard.Slices, VersionHistory.Unknown, 0);
        }
    })).ConfigureAwait(false);

    private async Task<bool> MakeAsync(VersionRow live, CancellationToken cancellation)
    {
        try
        {
            return await context.Store.CreateVersionAsync(live, SlicesOf(_options), _hooks.PrepareAsync, null, cancellation).ConfigureAwait(false);
        }
        catch (AbortedTransactionException error)
        {
            throw new HookException(nameof(ProjectionHandler.PrepareAsync), error);
        }
    }

    private void CheckSource(VersionRow row)
    {
        if (row.Source != _options.Source.ToString())
            throw new ProjectionException(
                $"The read model '{row.Version}' of the projection '{_options.Name}' was made of '{row.Source}', but 'Source' is '{_options.Source}'. "
                + "Set 'Source' back to the old one, or give the projection another 'Name', which builds a read model beside the old one.");
    }

    private ProjectionException Superseded(VersionRow row) => new(
        $"A process with {Text(row.Layout)} has taken over the read model '{row.Version}' of the projection '{_options.Name}', and the journal has {(context.Map.Count == 1 ? "no shards" : $"the shards \"{context.Map}\"")} here. "
        + "Start this process again with the shards of that process.");

    private static string Text(LaneLayout layout) => layout.Map.Count == 1
        ? FormattableString.Invariant($"{layout.Lanes} lanes")
        : FormattableString.Invariant($"{layout.Lanes} lanes over the shards \"{layout.Map}\"");
}
