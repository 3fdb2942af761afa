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

    private static readonly Option<int> Timeout = NumberOption.Create("--timeout", 60, (1, 86_400), "How many seconds to wait; the pause stays if lanes have not stopped by then");

    private static readonly Option<bool> All = new("--all") { Description = "All commands of the projection that wait" };

    private static readonly Option<bool> Force = new("--force") { Description = "Swap even if the rebuilt version has dead letters or failed lanes; readers then miss these events" };

    internal static IEnumerable<Command> Create()
    {
        yield return Pause();
        yield return Resume();
        yield return Rebuild();
        yield return Reset();
        yield return Swap();
        yield return Drop();
        yield return Lanes();
        yield return Withdraw();
    }

    private static Command Pause()
    {
        var version = Optional();
        return Verb.Changing(
            "pause", "Stops a version until it is resumed. Waits until its lanes have finished their batches. Ctrl+C ends only the wait.", [version, Timeout],
            async call =>
            {
                try
                {
                    return await call.Control.PauseAsync(call.Name, call.Value(version), TimeSpan.FromSeconds(call.Value(Timeout)), call.Cancellation);
                }
                catch (TimeoutException error)
                {
                    throw new CommandException(FormattableString.Invariant($"After {call.Value(Timeout)} s: {error.Message}"), error);
                }
            });
    }

    private static Command Resume()
    {
        var version = Optional();
        return Verb.Changing(
            "resume", "Resumes a version. Lanes that failed try again.", [version],
            call => call.Control.ResumeAsync(call.Name, call.Value(version), call.Cancellation));
    }

    private static Command Withdraw()
    {
        var number = NumberOption.Argument("id", "with --all", (1, NumberOption.Any), "The command: see 'projections commands'");
        return Verb.Changing(
            "withdraw", "Withdraws a command that waits, or all, so that no process executes them.", [number, All],
            async call => (call.Value(number), call.Value(All)) switch
            {
                ({ } id, false) => await call.Control.WithdrawAsync(call.Name, id, call.Cancellation),
                (null, true) => $"{Versions.Count(await call.Control.WithdrawAllAsync(call.Name, call.Cancellation), "command")} withdrawn",
                ({ } id, true) => throw new CommandException(FormattableString.Invariant($"The command {id} and --all are given; they exclude each other. Leave one out.")),
                _ => throw new CommandException("Neither a command nor --all is given; give one of them. 'projections commands' lists the commands."),
            });
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
