using System.CommandLine;
using System.Globalization;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Projections;

/// <summary>The verbs about a whole version. They write a command to the database; a process that runs the projection executes it.</summary>
internal static class VersionVerbs
{
    private const string Live = "The version; the live one by default";

    private static readonly Option<long?> To = NumberOption.Optional("--to", "for the first event", (0, NumberOption.Any), "Go on after this ordering");

    private static readonly Option<string?> Since = new("--since") { Description = "Go on with the events from this time on, such as 2024-05-01T12:00Z", HelpName = "TIME" };

    internal static IEnumerable<Command> Create()
    {
        yield return OfLive("pause", "Stops a version until it is resumed.", static async (call, version) =>
        {
            await call.Control.PauseAsync(call.Name, version, call.Cancellation);
            return $"{version ?? call.Name} is paused; its processes notice within some seconds";
        });
        yield return OfLive("resume", "Lets a version go on; lanes that failed are tried again.", static async (call, version) =>
        {
            await call.Control.ResumeAsync(call.Name, version, call.Cancellation);
            return $"{version ?? call.Name} goes on";
        });
        yield return Reset();
        yield return Named(
            "rebuild", "Builds another version beside the live one, from the first event on.",
            static (call, version) => call.Control.RebuildAsync(call.Name, version, call.Cancellation));
        yield return Named(
            "swap", "Makes a rebuilt version the live one.",
            static (call, version) => call.Control.SwapAsync(call.Name, version, cancellationToken: call.Cancellation));
        yield return Lanes();
        yield return Named(
            "drop", "Removes a version that is not live, with its tables.", static (call, version) => call.Control.DropAsync(call.Name, version, call.Cancellation));
    }

    private static Command OfLive(string name, string about, Func<VerbCall, string?, Task<string>> run)
    {
        var version = Optional();
        return ProjectionsCommand.Verb(name, about, [version], call => run(call, call.Value(version)));
    }

    private static Command Named(string name, string about, Func<VerbCall, string, Task<string>> run)
    {
        var version = new Argument<string>("version") { Description = "Its name" };
        return ProjectionsCommand.Verb(name, about, [version], call => run(call, call.Value(version)!));
    }

    private static Command Lanes()
    {
        var number = new Argument<int>("number") { Description = "How many" };
        var version = Optional();
        return ProjectionsCommand.Verb(
            "lanes", "Divides a version among another number of lanes.", [number, version],
            call => call.Control.SetLanesAsync(call.Name, call.Value(number), call.Value(version), call.Cancellation));
    }

    private static Command Reset()
    {
        var version = Optional();
        return ProjectionsCommand.Verb(
            "reset",
            "Empties a version and begins at the first event. With --to or --since nothing is emptied, so events that were handled before count twice.",
            [version, To, Since], call => ResetAsync(call, call.Value(version)));
    }

    private static Argument<string?> Optional() => new("version") { Description = Live, Arity = ArgumentArity.ZeroOrOne };

    private static Task<string> ResetAsync(VerbCall call, string? version)
    {
        var (to, since) = (call.Value(To), call.Value(Since));
        if (to is not null && since is not null)
            throw new CommandException($"--to is {to} and --since is '{since}'; they exclude each other. Leave one out.");
        return to is { } ordering ? call.Control.ResetAsync(call.Name, ordering, version, call.Cancellation)
            : since is not null ? call.Control.ResetAsync(call.Name, Time(since), version, call.Cancellation)
            : call.Control.ResetAsync(call.Name, version, call.Cancellation);
    }

    private static DateTimeOffset Time(string text) =>
        DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeLocal, out var time)
            ? time
            : throw new CommandException($"--since is '{text}'; it must be a time, such as 2024-05-01T12:00Z. Leave it out for the first event.");
}
