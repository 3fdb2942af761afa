using System.CommandLine;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Projections;

/// <summary>The command <c>projections</c>. Its verbs write to the read model database; the processes that run the projection execute the commands.</summary>
internal static class ProjectionsCommand
{
    private const string About = """
        Shows and operates projections through the tables of their read model database: see docs/projections.md.

        A read model has a live version. While it is rebuilt, it has another version beside the live one.
        Without --execute, a verb that removes something only prints what it would do.
        A command is stored, and a process that runs the projection executes it. The verb waits for that, except resume.
        Ctrl+C ends only the wait: the command will be executed later.
        Exit codes: 0 done, or printed; 2 refused, or failed; 130 interrupted.
        """;

    internal static Command Create()
    {
        var command = new Command("projections", About) { ListVerb.Create(), ShowVerb.Create(), CommandsVerb.Create() };
        foreach (var verb in VersionVerbs.Create())
            command.Subcommands.Add(verb);
        return command;
    }
}
