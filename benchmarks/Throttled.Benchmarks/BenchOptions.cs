using CrushTest.Settings;

namespace Throttled.Benchmarks;

/// <summary>The command line: a verb with its arguments, and options at any place.</summary>
/// <param name="Words">The verb and its arguments, without options.</param>
/// <param name="IsJson">Whether the result is printed as JSON, and no file is written.</param>
/// <param name="IsBeside">Whether Akka.Persistence.Sql is measured too.</param>
internal sealed record BenchOptions(string[] Words, bool IsJson, bool IsBeside)
{
    internal const string Beside = "--beside";
    internal const string Existing = "Akka.Persistence.Sql";

    private const string Json = "--json";

    private static readonly string[] BesideVerbs = ["growth queries", "growth tags", "replay", "tags"];

    /// <exception cref="CrushException">An option does not exist, has a wrong value, or does not fit the verb.</exception>
    internal static BenchOptions Read(string[] arguments)
    {
        List<string> words = [];
        string? beside = null;
        for (var i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] == Beside)
                beside = ++i < arguments.Length ? arguments[i] : "";
            else if (arguments[i] is not Json)
                words.Add(arguments[i]);
        }
        if (words.Find(word => word.StartsWith("--", StringComparison.Ordinal)) is { } unknown && unknown != "--help")
            throw new CrushException($"There is no option '{unknown}'. Use {Json} or {Beside} {Existing}, or leave it out.");
        if (beside is not null)
            CheckBeside(beside, words);
        return new([.. words], arguments.Contains(Json), beside is not null);
    }

    private static void CheckBeside(string beside, List<string> words)
    {
        if (!beside.Equals(Existing, StringComparison.OrdinalIgnoreCase))
            throw new CrushException($"{Beside} is '{beside}'; it must be {Existing}. Leave it out to measure this plugin alone.");
        var verb = string.Join(' ', words);
        if (!Array.Exists(BesideVerbs, known => $"{verb} ".StartsWith($"{known} ", StringComparison.Ordinal)))
            throw new CrushException($"{Beside} is '{beside}', but '{verb}' does not measure it. Leave it out, or use one of these: {string.Join(", ", BesideVerbs)}.");
    }
}
