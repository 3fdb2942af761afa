using System.CommandLine;
using System.CommandLine.Invocation;
using System.Reflection;
using Throttled.Tool.CommandLine;
using Throttled.Tool.Doctor;
using Throttled.Tool.Gaps;
using Throttled.Tool.Projections;
using Throttled.Tool.Reshard;
using Throttled.Tool.Tail;

namespace Throttled.Tool;

/// <summary>The command line: <c>throttled doctor</c>, <c>throttled journal</c>, <c>throttled tail</c>, <c>throttled projections</c>, <c>throttled dead-letters</c>, <c>throttled reshard</c>.</summary>
internal static class ToolCommand
{
    private const string About = """
        Checks an Akka.NET journal, prints and follows it, divides one among databases, and operates projections.

        Exit codes: 0 done; 1 what was checked is wrong (doctor), or rows differ (reshard); 2 the command could not be executed, and the output says why; 130 interrupted (projections, dead-letters).
        """;

    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(30);

    /// <param name="args">The command line.</param>
    /// <param name="output">For what is printed.</param>
    /// <param name="errors">For errors and progress.</param>
    /// <param name="time">The clock for the waits of <c>projections</c> and <c>dead-letters</c>; null for the system's.</param>
    /// <param name="cancellation">Has the effect of Ctrl+C.</param>
    /// <returns>The exit code.</returns>
    internal static Task<int> RunAsync(string[] args, TextWriter output, TextWriter errors, TimeProvider? time = null, CancellationToken cancellation = default)
    {
        var root = new RootCommand(About) { DoctorCommand.Create(), JournalCommand.Create(), TailCommand.Create(), ProjectionsCommand.Create(), DeadLettersCommand.Create(), ReshardCommand.Create() };
        root.Options.OfType<VersionOption>().Single().Action = new VersionAction();
        return CommandRun.RunAsync(root, args, new VerbConfiguration(time ?? TimeProvider.System)
        {
            Output = output,
            Error = errors,
            // The exit code of an unhandled exception would be 1, which means that something is wrong.
            EnableDefaultExceptionHandler = false,
            // The tail handles Ctrl+C itself. The others get this long to roll back.
            ProcessTerminationTimeout = args is ["tail", ..] ? null : Grace,
        }, cancellation);
    }

    private sealed class VersionAction : SynchronousCommandLineAction
    {
        public override int Invoke(ParseResult parseResult)
        {
            var version = typeof(VersionAction).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
            // The text after '+' is the commit.
            parseResult.InvocationConfiguration.Output.WriteLine(version?.Split('+')[0]);
            return 0;
        }
    }
}
