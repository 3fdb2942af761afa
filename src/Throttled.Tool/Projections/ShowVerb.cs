using System.CommandLine;
using System.Data.Common;
using Spectre.Console;
using Spectre.Console.Rendering;
using Throttled.Projections;
using Throttled.Projections.Store;
using Throttled.Tool.CommandLine;
using static System.FormattableString;

namespace Throttled.Tool.Projections;

/// <summary>Prints the status of each version of a projection in a few lines, which fit into a narrow terminal.</summary>
internal static class ShowVerb
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private static readonly Option<bool> Watch = new("--watch") { Description = "Print again every second, with the trend of the lag, until Ctrl+C" };

    internal static Command Create() => Verb.Reading(
        "show", "Prints the status of each version: offset, lag, speed, lanes with their owners, dead letters, errors.", [Watch], RunAsync);

    private static async Task RunAsync(VerbCall call)
    {
        if (call.Value(Watch) && call.IsJson)
            throw new CommandException("--watch and --json are given; they exclude each other. Leave one out.");
        if (call.IsJson)
            await call.WriteJsonAsync(await Versions.ReadAsync(call));
        else if (call.Value(Watch))
            await WatchAsync(call);
        else
            Tables.Open(call.Output).Write(Grid(await Versions.ReadAsync(call), static _ => null));
    }

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
        var clock = TimeProvider.System;
        var start = clock.GetTimestamp();
        var trend = new LagTrend();
        while (true)
        {
            show(await ReadAsync(call, trend, () => clock.GetElapsedTime(start)));
            await Task.Delay(Interval, clock, call.Cancellation);
        }
    }

    // The projection may still come, and a database that fails may come back.
    private static async Task<IRenderable> ReadAsync(VerbCall call, LagTrend trend, Func<TimeSpan> now)
    {
        try
        {
            if (await call.Control.StatusAsync(call.Name, call.Cancellation) is { Count: > 0 } versions)
            {
                var at = now();
                return Grid(versions, one => trend.Take(one.Version, one.LagEvents, at));
            }
            var known = await call.Control.NamesAsync(call.Cancellation);
            return new Text($"{Printable.OfLine(VersionNames.Unknown(call.Name, known))}\n");
        }
        catch (DbException error) when (!call.Cancellation.IsCancellationRequested)
        {
            return new Text($"The database cannot be read: {Printable.OfLine(Tables.FirstLine(error.Message))}\n");
        }
    }

    private static Grid Grid(IReadOnlyList<ProjectionStatus> versions, Func<ProjectionStatus, string?> trend)
    {
        var grid = new Grid().AddColumn(new GridColumn().NoWrap()).AddColumn();
        foreach (var one in versions)
            grid.AddRow(new Text(one.Version, new Style(Color.Blue)), new Text(string.Join('\n', Lines(one, trend(one)).Select(Printable.OfLine))));
        return grid;
    }

    /// <summary>The lines about a version.</summary>
    internal static IEnumerable<string> Lines(ProjectionStatus one, string? trend)
    {
        yield return $"{Versions.Role(one)}, {Versions.State(one)}, reads {one.Source}";
        if (one.StartOffset != "0")
            yield return $"start         after {one.StartOffset}";
        yield return $"offset        {Pace.Text(one.Offset, one.JournalEnd, one.EventsPerSecond)}";
        yield return $"lag           {Lag(one)}{(trend is null ? "" : $"; {trend}")}";
        if (one.UnhandledEvents > 0)
            yield return Invariant($"unhandled     the handler did nothing with {one.UnhandledEvents:N0} of {one.Events:N0} events");
        yield return Invariant($"dead letters  {one.DeadLetters:N0}{(one.DeadLetters > 0 ? $": throttled dead-letters list {one.Name}" : "")}");
        if (one.WaitingCommands > 0)
            yield return Invariant($"commands      {one.WaitingCommands:N0} wait");
        yield return Invariant($"lanes         {Versions.Running(one):N0} of {one.Lanes.Count:N0} run");
        foreach (var lane in one.Lanes)
        {
            yield return Invariant($"  {lane.Lane,4}  {$"{lane.FirstSlice}-{lane.LastSlice}",-9}  {$"{lane.State}".ToLowerInvariant(),-8}  {lane.EventsPerSecond,9:N0}/s  {lane.Owner ?? "no owner"}");
            if (lane.Error is { } error)
                yield return $"        {Tables.FirstLine(error)}";
        }
    }

    private static string Lag(ProjectionStatus one) => one switch
    {
        { LagEvents: null, JournalEndSeenAt: null } => "not known: no process has seen the journal's end",
        { LagEvents: null, JournalEndSeenAt: { } seen } => Invariant($"not known: the journal's end was last seen at {seen:yyyy-MM-dd HH:mm:ss} UTC"),
        { LagEvents: 0 } => "none",
        { Lag: { } time } => Invariant($"{one.LagEvents:N0} events, {time.TotalSeconds:N0} s"),
        _ => Invariant($"{one.LagEvents:N0} events"),
    };
}
