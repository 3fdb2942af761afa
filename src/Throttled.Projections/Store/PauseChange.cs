using Throttled.Projections.Databases;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Store;

/// <summary>A pause or a resume, as it was stored. It is written without a process of the projection.</summary>
/// <param name="Version">The version that it is for.</param>
/// <param name="Result">What was done, as a sentence.</param>
/// <param name="ReportsStops">Whether the processes report when their lanes have stopped.</param>
internal sealed record PauseChange(string Version, string Result, bool ReportsStops)
{
    internal static Task<PauseChange> PauseAsync(DatabaseTransaction transaction, ReadModelDatabase readModel, string name, string? version, CommandOrigin? origin) => ApplyAsync(
        transaction, readModel, name, version, origin, "Pause", $"paused = {readModel.Dialect.Flag(true)}",
        before => Task.FromResult($"'{before.Version}' {(before.IsPaused ? "was paused already" : "is paused")}"));

    internal static Task<PauseChange> ResumeAsync(DatabaseTransaction transaction, ReadModelDatabase readModel, string name, string? version, CommandOrigin? origin) => ApplyAsync(
        transaction, readModel, name, version, origin, "Resume", $"paused = {readModel.Dialect.Flag(false)}, resumes = resumes + 1", before => ResumedAsync(transaction, before));

    private static async Task<PauseChange> ApplyAsync(
        DatabaseTransaction transaction, ReadModelDatabase readModel, string name, string? version, CommandOrigin? origin, string verb, string set, Func<VersionRow, Task<string>> text)
    {
        var found = await VersionNames.FindAsync(transaction, name, version).ConfigureAwait(false);
        found.CheckIsWritten();
        // A pause must also work before the tables are brought up to date. Older ones have no columns for the origin.
        var tables = (await new StoreSchema(readModel).ReadAsync(transaction).ConfigureAwait(false)).Version;
        // Before the row of the version is locked, because this may take long.
        if (tables >= Schema.FirstWithOrigins)
            await CommandTable.ForgetAsync(transaction).ConfigureAwait(false);
        var before = await VersionTable.FindAsync(transaction, found.Version, isLocked: true).ConfigureAwait(false);
        // Another version may have been swapped in since.
        if (before is null || !await VersionTable.UpdateWrittenAsync(transaction, found.Version, set).ConfigureAwait(false))
            throw (found with { Role = VersionRole.Retired }).NotWritten();
        var result = await text(before).ConfigureAwait(false);
        if (tables >= Schema.FirstWithOrigins)
            await CommandTable.InsertDoneAsync(transaction, name, found.Version, verb, $"{result}.", origin).ConfigureAwait(false);
        return new(found.Version, result, tables >= Schema.FirstWithStops);
    }

    private static async Task<string> ResumedAsync(DatabaseTransaction transaction, VersionRow before)
    {
        var lanes = (await LaneTable.ReadAsync(transaction, before.Projection).ConfigureAwait(false)).Where(lane => lane.Version == before.Version).ToList();
        int[] failed = [.. lanes.Where(lane => lane.Status.State == LaneState.Failed).Select(lane => lane.Lane)];
        return before.IsPaused ? $"'{before.Version}' is resumed; {(lanes.Exists(lane => lane.Owner is not null) ? "its processes notice within some seconds" : "no process runs it now")}"
            : failed.Length == 0 ? $"'{before.Version}' was not paused, and none of its lanes has failed"
            : $"'{before.Version}' was not paused; its failed lanes are tried again: {string.Join(", ", failed)}";
    }
}

/// <summary>Whether a paused version has stopped.</summary>
/// <param name="IsPaused">Whether it is still paused. A version that is retired or dropped counts as paused.</param>
/// <param name="Lanes">The lanes that may still handle events, and their owners.</param>
internal sealed record PauseProgress(bool IsPaused, IReadOnlyList<RunningLane> Lanes)
{
    internal static async Task<PauseProgress> ReadAsync(DatabaseTransaction transaction, string version) =>
        await ReadAsync(transaction, version, await VersionTable.FindAsync(transaction, version).ConfigureAwait(false)).ConfigureAwait(false);

    private static async Task<PauseProgress> ReadAsync(DatabaseTransaction transaction, string version, VersionRow? row) => row switch
    {
        null or { Role: VersionRole.Retired } => new(true, []),
        { IsPaused: false } => new(false, []),
        _ => new(true, await LaneTable.NotStoppedAsync(transaction, version).ConfigureAwait(false)),
    };

    /// <summary>
    /// If all lanes have stopped, begins a new epoch. A process that was suspended may have lost its leases without knowing it, and would write when it goes
    /// on. If it has a transaction that writes, this waits for the end of that transaction.
    /// </summary>
    internal static async Task<PauseProgress> EndAsync(DatabaseTransaction transaction, string version)
    {
        await OffsetTable.LockAsync(transaction, version).ConfigureAwait(false);
        var row = await VersionTable.FindAsync(transaction, version, isLocked: true).ConfigureAwait(false);
        var progress = await ReadAsync(transaction, version, row).ConfigureAwait(false);
        if (progress is not { IsPaused: true, Lanes.Count: 0 } || row is null or { Role: VersionRole.Retired })
            return progress;
        row = row with { Epoch = row.Epoch + 1 };
        await VersionTable.UpdateAsync(transaction, row).ConfigureAwait(false);
        await OffsetTable.SetEpochAsync(transaction, version, row.Epoch).ConfigureAwait(false);
        return progress;
    }

    internal string Text => string.Join("; ", Lanes.GroupBy(lane => lane.Owner, StringComparer.Ordinal).Select(lanes =>
        $"lane{(lanes.Count() == 1 ? "" : "s")} {string.Join(", ", lanes.Select(lane => lane.Lane))} of '{lanes.Key}'"
        + (lanes.All(lane => lane.IsIdle) ? " (idle, no report: it is just claiming lanes, or it is an older release; if so, stop or update it)" : "")));
}
