using System.CommandLine;
using System.Globalization;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Projections;

/// <summary>The verbs about a whole version. They write a command to the database; a process that runs the projection executes it.</summary>
internal static class VersionVerbs
{
    private const string Live = "The version; the live one by default";

    private static readonly Option<long?> To = NumberOption.Optional("--to", "for the first event", (0, NumberOption.Any), "Go on after this ordering");

    private static readonly Option<string?> Since = new("--since") { Description = "Go on with the events since this time, such as 2024-05-01T12:00Z", HelpName = "TIME" };

    private static readonly Option<bool> Force = new("--force") { Description = "Swap even if the rebuilt version has dead letters or failed lanes; readers then miss these events" };

    internal static IEnumerable<Command> Create()
    {
        yield return OfLive("pause", "Stops a version until it is resumed.", static async (call, version) =>
        {
            await call.Control.PauseAsync(call.Name, version, call.Cancellation);
            return $"{version ?? call.Name} is paused; its processes notice within some seconds";
        });
        yield return OfLive("resume", "Resumes a version. Lanes that failed try again.", static async (call, version) =>
        {
            await call.Control.ResumeAsync(call.Name, version, call.Cancellation);
            return $"{version ?? call.Name} goes on";
        });
        yield return Rebuild();
        yield return Reset();
        yield return Swap();
        yield return Drop();
        yield return Lanes();
    }

    private static Command OfLive(string name, string about, Func<VerbCall, string?, Task<string>> run)
    {
        var version = Optional();
        return Verb.Changing(name, about, [version], call => run(call, call.Value(version)));
    }

    private static Command Rebuild()
    {
        var version = Required();
        return Verb.Changing(
            "rebuild", "Builds another version beside the live one, from the first event on.", [version],
            call => call.Control.RebuildAsync(call.Name, call.Value(version)!, call.Cancellation));
    }

    private static Command Swap()
    {
        var version = Required();
        return Verb.Removing(
            "swap", "Makes a rebuilt version the live one. The old one is no longer written.", [version, Force],
            async call =>
            {
                var (next, live) = (await Versions.FindAsync(call, call.Value(version)), await Versions.FindAsync(call, null));
                return next.Role == VersionRole.Building
                    ? $"make {Versions.Text(next)} the live version, and retire {Versions.Text(live)}."
                    : throw new CommandException($"'{next.Version}' is {Versions.Role(next)}; it must be one that is built beside the live version. See 'rebuild'.");
            },
            call => call.Control.SwapAsync(call.Name, call.Value(version)!, call.Value(Force), call.Cancellation));
    }

    private static Command Drop()
    {
        var version = Required();
        return Verb.Removing(
            "drop", "Removes a version that is not live, with its tables.", [version],
            async call => await Versions.FindAsync(call, call.Value(version)) is { Role: not VersionRole.Live } one
                ? $"remove {Versions.Text(one)} with its tables, offsets and dead letters."
                : throw new CommandException($"'{call.Value(version)}' is live; it must be a version that nobody reads. Swap another one in first."),
            call => call.Control.DropAsync(call.Name, call.Value(version)!, call.Cancellation));
    }

    private static Command Lanes()
    {
        var number = NumberOption.Argument("number", null, (1, JournalSlices.Count), "How many: 1 to 1,024");
        var version = Optional();
        return Verb.Changing(
            "lanes", "Changes the number of lanes of a version.", [number, version],
            call => call.Control.SetLanesAsync(call.Name, (int)call.Value(number)!, call.Value(version), call.Cancellation));
    }

    private static Command Reset()
    {
        var version = Optional();
        return Verb.Removing(
            "reset",
            "Empties a version and begins at its start again; with --to 0, at the first event. With another --to or --since, the version is not emptied, so events that were handled before count twice.",
            [version, To, Since],
            async call =>
            {
                var start = From(call);
                var one = await Versions.FindAsync(call, call.Value(version));
                return WouldReset(Versions.Text(one), one.Offset, start, call.Value(Since));
            },
            call => ResetAsync(call, call.Value(version)));
    }

    private static string WouldReset(string version, long offset, (long? To, DateTimeOffset? Since) start, string? since) => start switch
    {
        (null, null) => $"empty {version}, remove its dead letters, and handle all events from its start again.",
        (0, _) => $"empty {version}, remove its dead letters, and handle all events again, from the first one.",
        ({ } to, _) when to > offset => FormattableString.Invariant(
            $"let {version} SKIP the events after ordering {offset:N0}, up to {to:N0}: the read model never gets them. Its dead letters are removed."),
        ({ } to, _) => FormattableString.Invariant(
            $"let {version} go on after ordering {to:N0}: later events are handled again, and what was handled before counts twice. Its dead letters are removed."),
        _ => $"let {version} go on with the events since {since}: those that were handled before count twice, and earlier ones that were not handled yet are skipped. "
            + "Its dead letters are removed.",
    };

    private static Task<string> ResetAsync(VerbCall call, string? version) => From(call) switch
    {
        ({ } ordering, _) => call.Control.ResetAsync(call.Name, ordering, version, call.Cancellation),
        (_, { } time) => call.Control.ResetAsync(call.Name, time, version, call.Cancellation),
        _ => call.Control.ResetAsync(call.Name, version, call.Cancellation),
    };

    private static (long? To, DateTimeOffset? Since) From(VerbCall call)
    {
        var (to, since) = (call.Value(To), call.Value(Since));
        return to is not null && since is not null
            ? throw new CommandException($"--to is {to} and --since is '{since}'; they exclude each other. Leave one out.")
            : (to, since is null ? null : Time(since));
    }

    private static DateTimeOffset Time(string text) =>
        DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeLocal, out var time)
            ? time
            : throw new CommandException($"--since is '{text}'; it must be a time, such as 2024-05-01T12:00Z. Leave it out for the first event.");

    private static Argument<string?> Optional() => new("version") { Description = Live, Arity = ArgumentArity.ZeroOrOne };

    private static Argument<string> Required() => new("version") { Description = "Its name" };
}
