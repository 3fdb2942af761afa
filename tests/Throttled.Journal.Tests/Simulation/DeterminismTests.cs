using System.Diagnostics;
using System.Globalization;

namespace Throttled.Simulation;

public sealed class DeterminismTests
{
    private static readonly int[] Few = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89];

    [Fact]
    public void A_seed_replays_step_by_step() =>
        Seeds.ForEach(100, seed => seed, seed => Assert.Equal(Program.DigestOf(seed), Program.DigestOf(seed)));

    [Fact]
    public void Other_seeds_go_another_way() => Assert.Equal(Few.Length, Few.Select(Program.DigestOf).Distinct().Count());

    // Another process also has other hash codes of strings.
    [Theory]
    [InlineData("1")]
    [InlineData("7")]
    public async Task A_seed_replays_on_a_machine_with_another_number_of_processors(string processors) =>
        Assert.Equal(Few.Select(Program.DigestOf), await DigestsOnAsync(processors));

    private static async Task<IEnumerable<ulong>> DigestsOnAsync(string processors)
    {
        var start = new ProcessStartInfo("dotnet") { RedirectStandardOutput = true, Environment = { ["DOTNET_PROCESSOR_COUNT"] = processors } };
        start.ArgumentList.Add(typeof(Program).Assembly.Location);
        foreach (var seed in Few)
            start.ArgumentList.Add(seed.ToString(CultureInfo.InvariantCulture));
        using var process = Process.Start(start)!;
        var digests = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.Equal(0, process.ExitCode);
        return digests.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries).Select(line => ulong.Parse(line, CultureInfo.InvariantCulture));
    }
}
