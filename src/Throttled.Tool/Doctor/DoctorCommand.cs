using System.CommandLine;
using Spectre.Console;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Doctor;

/// <summary>The command <c>doctor</c>.</summary>
internal static class DoctorCommand
{
    private const string About = """
        Checks what a journal needs: server, login, tables, indexes, connections, transactions. It only reads.

        Each line begins with ✓ (good), ! (works, but slowly or with a risk) or ✗ (queries fail, wait, miss events or read whole tables).
        After →, it says what to do.
        Exit codes: 0 no ✗; 1 at least one ✗; 2 the database could not be checked, or an option is wrong.
        """;

    private static readonly Option<long?> Processes = NumberOption.Optional("--processes", "if you do not know", (1, 10_000), "Processes that read the journal; needs --permits, unless --config has them");

    private static readonly Option<long?> Permits = NumberOption.Optional("--permits", "if you do not know", (1, 10_000), "MaxConcurrentQueries of each process, by default that of --config; needs --processes");

    internal static Command Create() => CommandRun.Create("doctor", About, [.. DatabaseOptions.OfJournal, .. TableOptions.All, Processes, Permits, JsonOutput.Option], RunAsync);

    private static async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellation)
    {
        var findings = await new Checkup(Read(parsed)).RunAsync(cancellation);
        if (JsonOutput.IsWanted(parsed))
            await JsonOutput.WriteAsync(parsed, new { findings });
        else
            Write(TableConsole.Open(parsed.InvocationConfiguration.Output, width: 160), findings);
        return findings.Any(finding => finding.Health == Health.Bad) ? CommandRun.Wrong : 0;
    }

    internal static CheckupSettings Read(ParseResult parsed)
    {
        var place = DatabaseOptions.Read(parsed, DatabaseOptions.Connection);
        return new()
        {
            Place = place,
            Layout = place.LayoutFor(parsed),
            Options = place.OptionsFor(parsed),
            Planned = (parsed.GetValue(Processes), parsed.GetValue(Permits) ?? place.Options?.MaxConcurrentQueries) switch
            {
                ({ } processes, { } permits) => new((int)processes, (int)permits),
                (null, null) => null,
                // The permits are those of the application's configuration, and the number of processes is not given.
                (null, _) when parsed.GetValue(Permits) is null => null,
                (null, _) => throw new CommandException("--permits is given, and --processes is missing; give it too, or leave --permits out."),
                _ => throw new CommandException("--processes is given, and --permits is missing; give it too, or a file with --config that has max-concurrent-queries."),
            },
        };
    }

    internal static void Write(IAnsiConsole console, IReadOnlyList<Finding> findings)
    {
        var grid = new Grid().AddColumn(new GridColumn().NoWrap()).AddColumn(new GridColumn().NoWrap()).AddColumn();
        foreach (var finding in findings)
        {
            var (mark, colour) = finding.Health switch
            {
                Health.Good => ("✓", Color.Green),
                Health.Warning => ("!", Color.Yellow),
                _ => ("✗", Color.Red),
            };
            var remedy = finding.Remedy is { } what ? $"\n→ {what}" : "";
            grid.AddRow(new Text(mark, new Style(colour)), new Text(finding.Subject), new Text(Printable.OfLine(finding.Text) + remedy));
        }
        console.Write(grid);
        console.WriteLine();
        console.WriteLine(Verdict(findings));
    }

    private static string Verdict(IReadOnlyList<Finding> findings)
    {
        var (bad, warnings) = (findings.Count(finding => finding.Health == Health.Bad), findings.Count(finding => finding.Health == Health.Warning));
        return (bad, warnings) switch
        {
            (0, 0) => "No problem was found.",
            (0, _) => $"It works; {Count(warnings, "thing")} could be better.",
            _ => $"{Count(bad, "thing")} must be corrected{(warnings > 0 ? $", and {warnings} could be better" : "")}.",
        };
    }

    private static string Count(int number, string what) => number == 1 ? $"1 {what}" : $"{number} {what}s";
}
