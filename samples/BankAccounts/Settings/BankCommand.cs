using System.CommandLine;
using BankAccounts.Operation;
using BankAccounts.Replay;

namespace BankAccounts.Settings;

/// <summary>The command line.</summary>
internal static class BankCommand
{
    private const string About = """
        Bank accounts: a journal of their events, and a read model of the open ones with their balances.

        In one terminal:  write --rate 1000      appends events
        In others:        run                    projects them; several share the lanes
        And then:         status --watch, pause, resume, reset, rebuild, swap, drop, dead-letters, retry, discard, check
        For the table of speeds:  replay

        The read model is the table <target>_account, and the view called as the projection, which shows the live target.
        """;

    internal static Task<int> RunAsync(string[] args) => CommandRun.RunAsync(Create(), args);

    internal static RootCommand Create()
    {
        var root = new RootCommand(About);
        foreach (var option in BankOptions.Each)
            root.Options.Add(option);
        Command[] verbs =
        [
            ReplayVerb.Create(), WriteVerb.Create(), RunVerb.Create(), StatusVerb.Create(), CheckVerb.Create(),
            .. TargetVerbs.Create(), .. DeadLetterVerbs.Create(),
        ];
        foreach (var verb in verbs)
            root.Subcommands.Add(verb);
        return root;
    }
}
