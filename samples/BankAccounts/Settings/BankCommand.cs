using System.CommandLine;
using BankAccounts.Operation;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Settings;

internal static class BankCommand
{
    private const string About = """
        Bank accounts: a journal of their events, and a read model of the open ones with their balances.

        In one terminal:  write --rate 1000      appends events
        In others:        run                    projects them; several share the lanes
        And then:         check                  compares with a recomputation

        Operate it by the tool: throttled projections (show --watch, pause, resume, reset, rebuild, swap, drop), throttled dead-letters (list, show, retry, discard).

        The read model is the table <version>_account, and the view called as the projection, which shows the live version.
        """;

    // Ctrl+C ends a run between two batches; what it started is closed first.
    internal static Task<int> RunAsync(string[] args) => CommandRun.RunAsync(Create(), args, new() { ProcessTerminationTimeout = TimeSpan.FromSeconds(30) });

    internal static RootCommand Create()
    {
        var root = new RootCommand(About);
        foreach (var option in BankOptions.Each)
            root.Options.Add(option);
        foreach (var verb in (Command[])[WriteVerb.Create(), RunVerb.Create(), CheckVerb.Create()])
            root.Subcommands.Add(verb);
        return root;
    }
}
