using Spectre.Console;
using Spectre.Console.Rendering;
using Throttled.Projections;

namespace BankAccounts.Show;

/// <summary>How the targets of a projection do: some lines for each, which a narrow terminal has room for.</summary>
internal static class StatusTable
{
    internal static IRenderable Of(IReadOnlyList<ProjectionStatus> targets)
    {
        if (targets.Count == 0)
            return new Text("There is no such projection yet.\n");
        var grid = new Grid().AddColumn(new GridColumn().NoWrap()).AddColumn();
        foreach (var one in targets)
            grid.AddRow(new Text(one.Version, new Style(Color.Blue)), new Text(string.Join('\n', Lines(one))));
        return grid;
    }

    private static IEnumerable<string> Lines(ProjectionStatus one)
    {
        yield return $"{$"{one.Role}".ToLowerInvariant()}, {State(one)}, {Running(one):N0} of {one.Lanes.Count:N0} lanes run";
        yield return $"{Pace.Text(one.Offset, one.JournalEnd, one.EventsPerSecond)}{Lag(one)}";
        if (one.UnhandledEvents > 0)
            yield return $"the handler did nothing with {one.UnhandledEvents:N0} of {one.Events:N0} events";
        if (one.DeadLetters > 0 || one.WaitingCommands > 0)
            yield return $"dead letters: {one.DeadLetters:N0}; commands that wait: {one.WaitingCommands:N0}";
        foreach (var lane in one.Lanes.Where(lane => lane.Error is not null))
            yield return $"lane {lane.Lane} {Does(lane.State)}: {FirstLine(lane.Error!)}";
    }

    private static string Does(LaneState state) => state switch
    {
        LaneState.Failed => "failed",
        LaneState.Running => "is slow",
        _ => "tries again",
    };

    private static string State(ProjectionStatus one) =>
        one.IsPaused ? "paused"
        : one.LagEvents is null ? "not seen the journal yet"
        : one.LagEvents == 0 ? "level with the journal"
        : "behind";

    private static string Lag(ProjectionStatus one) => one is { LagEvents: > 0, Lag: { } time } ? $", {time.TotalSeconds:N0} s behind" : "";

    private static int Running(ProjectionStatus one) => one.Lanes.Count(lane => lane.State is LaneState.Running or LaneState.Retrying);

    private static string FirstLine(string error) => error.Split('\n', 2)[0].TrimEnd();
}
