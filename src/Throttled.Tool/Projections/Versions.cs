using Throttled.Projections;
using Throttled.Projections.Store;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Projections;

/// <summary>Finds versions of a projection, and describes them in a sentence.</summary>
internal static class Versions
{
    /// <exception cref="CommandException">There is no such projection in the database.</exception>
    internal static async Task<IReadOnlyList<ProjectionStatus>> ReadAsync(VerbCall call)
    {
        if (await call.Control.StatusAsync(call.Name, call.Cancellation) is { Count: > 0 } versions)
            return versions;
        var known = await call.Control.NamesAsync(call.Cancellation);
        throw new CommandException(VersionNames.Unknown(call.Name, known));
    }

    /// <param name="call">The call of the verb.</param>
    /// <param name="version">Its name; null for the live one.</param>
    /// <exception cref="CommandException">There is no such version.</exception>
    internal static async Task<ProjectionStatus> FindAsync(VerbCall call, string? version)
    {
        var all = await ReadAsync(call);
        return all.FirstOrDefault(each => version is null ? each.Role == VersionRole.Live : each.Version == version) ?? throw new CommandException(
            $"'{call.Name}' has no {(version is null ? "live version" : $"version '{version}'")}. It has: {string.Join(", ", all.Select(each => each.Version))}.");
    }

    internal static string Text(ProjectionStatus one) => FormattableString.Invariant(
        $"'{one.Version}' ({Role(one)}, offset {one.Offset:N0}, {Count(one.Events, "event")} handled, {Count(one.DeadLetters, "dead letter")})");

    internal static string Role(ProjectionStatus one) => VersionNames.Text(one.Role);

    internal static string Count(long number, string what) => FormattableString.Invariant($"{number:N0} {what}{(number == 1 ? "" : "s")}");

    // A lane that no process runs handles no new event, even if the lag is 0 at the moment.
    internal static string State(ProjectionStatus one) =>
        one.Role == VersionRole.Retired ? "no longer written"
        : one.IsPaused ? "paused"
        : one.Lanes.Count(lane => lane.Owner is null) is > 0 and var unowned ? FormattableString.Invariant($"lanes without a process: {unowned:N0} of {one.Lanes.Count:N0}")
        : one.LagEvents is null ? "has not seen the journal lately"
        : one.LagEvents == 0 ? "caught up"
        : "behind";

    internal static int Running(ProjectionStatus one) => one.Lanes.Count(lane => lane.State is LaneState.Running or LaneState.Retrying);
}
