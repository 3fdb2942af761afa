using System.Runtime.InteropServices;
using System.Text.Json;
using Throttled.Benchmarks.Pictures;
using Throttled.Testing;

namespace Throttled.Benchmarks;

/// <summary>Writes results/N-cores/*.md: a table, and a general description of the machine.</summary>
internal static class Results
{
    private static TextWriter? _json;

    /// <summary>From now on, results are printed as JSON, and no file is written. All other output goes to the error stream.</summary>
    internal static void PrintJson()
    {
        _json = Console.Out;
        Console.SetOut(Console.Error);
    }

    internal static void Write(string name, string title, string text, IEnumerable<string> table)
    {
        if (_json is not null)
        {
            var tables = ResultTable.AllOf([.. table]).Select(each => each.Rows());
            _json.WriteLine(JsonSerializer.Serialize(new { name = Path.GetFileNameWithoutExtension(name), text, machine = Machine(), tables }, JsonSerializerOptions.Web));
            return;
        }
        var path = Path.Combine(Directory.CreateDirectory(Folder()).FullName, name);
        File.WriteAllText(path, $"# {title}\n\n{text}\n\n{string.Join('\n', table)}\n\nMeasured on {Machine()}.\n");
        Console.WriteLine(File.ReadAllText(path));
    }

    private static string Machine()
    {
        var system = OperatingSystem.IsLinux() ? "Linux" : OperatingSystem.IsMacOS() ? "macOS" : "Windows";
        return FormattableString.Invariant(
            $"{Environment.ProcessorCount} cores {RuntimeInformation.ProcessArchitecture}, {system}, .NET {Environment.Version}, client and server on one machine");
    }

    private static string Folder() =>
        Path.Combine(WorkingCopy.Root, "benchmarks", "results", FormattableString.Invariant($"{Environment.ProcessorCount}-cores"));
}
