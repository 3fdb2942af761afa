using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Serialization;
using Spectre.Console;
using Spectre.Console.Rendering;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Projections;

/// <summary>Prints the status of each version of a projection: some lines for each, which fit into a narrow terminal.</summary>
internal static class StatusVerb
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private static readonly JsonSerializerOptions Format = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
    };

    private static readonly Option<bool> Watch = new("--watch") { Description = "Print again every second, until Ctrl+C" };
    private static readonly Option<bool> Json = new("--json") { Description = "Print JSON, and nothing else" };

    internal static Command Create() => ProjectionsCommand.Verb("status", "Prints the status of each version.", [Watch, Json], RunAsync);

    private static async Task RunAsync(VerbCall call)
    {
        if (call.Value(Json))
            await call.Output.WriteLineAsync(JsonSerializer.Serialize(await ReadKnownAsync(call), Format));
        else if (call.Value(Watch))
            await WatchAsync(call);
        else
            Tables.Open(call.Output).Write(Table(await ReadKnownAsync(call)));
    }

    // With --watch, the projection may still come.
    private static async Task<IReadOnlyList<ProjectionStatus>> ReadKnownAsync(VerbCall call)
    {
        if (await ReadAsync(call) is { Count: > 0 } versions)
            return versions;
        var known = await call.Control.NamesAsync(call.Cancellation);
        throw new CommandException(
            $"--name is '{call.Name}', and there is no such projection in this database. "
            + (known.Count > 0 ? $"It has: {string.Join(", ", known)}." : "It has none yet: start the application once."));
    }

    private static Task<IReadOnlyList<ProjectionStatus>> ReadAsync(VerbCall call) => call.Control.StatusAsync(call.Name, call.Cancellation);

    private static async Task WatchAsync(VerbCall call)
    {
        try
        {
            if (Console.IsOutputRedirected)
                await RepeatAsync(call, Tables.Open(call.Output).Write);
            else
                await AnsiConsole.Live(Text.Empty).StartAsync(live => RepeatAsync(call, live.UpdateTarget));
        }
        catch (OperationCanceledException) when (call.Cancellation.IsCancellationRequested)
        {
        }
    }

    private static async Task RepeatAsync(VerbCall call, Action<IRenderable> show)
    {
        while (true)
        {
            show(Table(await ReadAsync(call)));
            await Task.Delay(Interval, TimeProvider.System, call.Cancellation);
        }
    }

    private static IRenderable Table(IReadOnlyList<ProjectionStatus> versions)
    {
        if (versions.Count == 0)
            return new Text("There is no such projection yet.\n");
        var grid = new Grid().AddColumn(new GridColumn().NoWrap()).AddColumn();
        foreach (var one in versions)
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
            yield return $"dead letters: {one.DeadLetters:N0}; waiting commands: {one.WaitingCommands:N0}";
        foreach (var lane in one.Lanes.Where(lane => lane.Error is not null))
            yield return $"lane {lane.Lane} {Does(lane.State)}: {Tables.FirstLine(lane.Error!)}";
    }

    private static string Does(LaneState state) => state switch
    {
        LaneState.Failed => "failed",
        LaneState.Running => "is slow",
        _ => "retries",
    };

    internal static string State(ProjectionStatus one) =>
        one.IsPaused ? "paused"
        : one.LagEvents is null ? "has not seen the journal yet"
        : one.LagEvents == 0 ? "caught up"
        : "behind";

    internal static string Lag(ProjectionStatus one) => one is { LagEvents: > 0, Lag: { } time } ? $", {time.TotalSeconds:N0} s behind" : "";

    internal static int Running(ProjectionStatus one) => one.Lanes.Count(lane => lane.State is LaneState.Running or LaneState.Retrying);
}
