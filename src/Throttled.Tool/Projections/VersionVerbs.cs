using System.CommandLine;
using System.Globalization;
using BankAccounts.Settings;

namespace BankAccounts.Operation;

/// <summary>The verbs about a whole target. They are told to the database; who runs the projection does them.</summary>
internal static class TargetVerbs
{
    private const string Live = "The target; the live one by default";

    private static readonly Option<long?> To = new("--to") { Description = "Go on behind this ordering", HelpName = "ORDERING" };
    private static readonly Option<string?> Since = new("--since") { Description = "Go on with the events of this time on, such as 2024-05-01T12:00Z", HelpName = "TIME" };

    internal static IEnumerable<Command> Create()
    {
        yield return OfLive("pause", "Lets a target stand still.", static async (call, version) =>
        {
            await call.Control.PauseAsync(call.Settings.Name, version, call.Cancellation);
            return $"{version ?? call.Settings.Name} is paused; its processes notice within some seconds";
        });
        yield return OfLive("resume", "Lets a target go on; lanes that failed are tried again.", static async (call, version) =>
        {
            await call.Control.ResumeAsync(call.Settings.Name, version, call.Cancellation);
            return $"{version ?? call.Settings.Name} goes on";
        });
        yield return Reset();
        yield return Named(
            "rebuild", "Makes another target beside the live one, from the first event on.",
            static (call, version) => call.Control.RebuildAsync(call.Settings.Name, version, call.Cancellation));
        yield return Named("swap", "Makes a rebuilt target the live one.", static (call, version) => call.Control.SwapAsync(call.Settings.Name, version, cancellationToken: call.Cancellation));
        yield return Lanes();
        yield return Named("drop", "Removes a target that is not live, with its table.", static (call, version) => call.Control.DropAsync(call.Settings.Name, version, call.Cancellation));
    }

    private static Command OfLive(string name, string about, Func<VerbCall, string?, Task<string>> tell)
    {
        var argument = Targets.Optional(Live);
        return Verb.Create(name, about, [argument], call => TellAsync(tell(call, call.Parsed.GetValue(argument))));
    }

    private static Command Named(string name, string about, Func<VerbCall, string, Task<string>> tell)
    {
        var argument = Targets.Required("Its name");
        return Verb.Create(name, about, [argument], call => TellAsync(tell(call, call.Parsed.GetValue(argument)!)));
    }

    private static Command Lanes()
    {
        var number = new Argument<int>("number") { Description = "How many" };
        var argument = Targets.Optional(Live);
        return Verb.Create(
            "lanes", "Divides a target among another number of lanes.", [number, argument],
            call => TellAsync(call.Control.SetLanesAsync(
                call.Settings.Name, call.Parsed.GetValue(number), call.Parsed.GetValue(argument), call.Cancellation)));
    }

    private static Command Reset()
    {
        var argument = Targets.Optional(Live);
        return Verb.Create(
            "reset",
            "Empties a target and begins at the first event. With --to or --since nothing is emptied: events that were handled before count twice then, as check tells.",
            [argument, To, Since],
            call => TellAsync(ResetAsync(call, call.Parsed.GetValue(argument))));
    }

    private static Task<string> ResetAsync(VerbCall call, string? version)
    {
        var (to, since) = (call.Parsed.GetValue(To), call.Parsed.GetValue(Since));
        if (to is not null && since is not null)
            throw new BankException($"--to is {to} and --since is '{since}'; they exclude each other. Leave one out.");
        if (to is < 0)
            throw new BankException($"--to is {to}; it must be an ordering, 0 at least. Leave it out for the first event.");
        return to is { } ordering ? call.Control.ResetAsync(call.Settings.Name, ordering, version, call.Cancellation)
            : since is not null ? call.Control.ResetAsync(call.Settings.Name, Time(since), version, call.Cancellation)
            : call.Control.ResetAsync(call.Settings.Name, version, call.Cancellation);
    }

    private static DateTimeOffset Time(string text) =>
        DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeLocal, out var time)
            ? time
            : throw new BankException($"--since is '{text}'; it must be a time, such as 2024-05-01T12:00Z. Leave it out for the first event.");

    private static async Task<int> TellAsync(Task<string> told)
    {
        Console.WriteLine(await told);
        return 0;
    }
}
