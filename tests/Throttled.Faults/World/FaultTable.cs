namespace Throttled.Faults.World;

/// <summary>
/// The rows of <c>benchmarks/results/faults.md</c>: printed by each test, and appended to the file that <c>THROTTLED_FAULT_TABLE</c> names.
/// </summary>
internal static class FaultTable
{
    private static readonly Lock Writing = new();

    /// <param name="output">The output of the test.</param>
    /// <param name="cells">fault | database | when | queries | events written meanwhile | lost | doubled | failed | next event after | all follow after</param>
    internal static void Add(ITestOutputHelper output, params IEnumerable<object> cells)
    {
        var row = FormattableString.Invariant($"| {string.Join(" | ", cells)} |");
        output.WriteLine(row);
        if (Environment.GetEnvironmentVariable("THROTTLED_FAULT_TABLE") is not { Length: > 0 } file)
            return;
        lock (Writing)
            File.AppendAllText(file, row + Environment.NewLine);
    }

    internal static string Seconds(TimeSpan time) => FormattableString.Invariant($"{time.TotalSeconds:0.0} s");
}
