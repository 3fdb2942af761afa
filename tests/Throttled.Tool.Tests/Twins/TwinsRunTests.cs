extern alias twins;

using System.Diagnostics;
using System.Text.Json;
using twins::DigitalTwins.Nodes;
using Throttled.Testing;

namespace Throttled.Tool.Tests.Twins;

[Trait("Category", "Long")]
public sealed class TwinsRunTests
{
    // The sample's own folder has all its files. Here, some come from ASP.NET Core's framework, which the sample does not use.
    private static readonly string Folder =
        AppContext.BaseDirectory.Replace(Path.Combine("tests", "Throttled.Tool.Tests"), Path.Combine("samples", "DigitalTwins"), StringComparison.Ordinal);

    [PostgreSqlFact]
    public async Task Two_nodes_answer_all_requests_and_the_read_model_has_all_updates()
    {
        var (code, output, errors) = await RunAsync("--nodes", "2", "--databases", "1", "--devices", "200", "--seconds", "3", "--json");
        Assert.True(code == 0, $"It ended with {code}: {output}{errors}");
        using var report = JsonDocument.Parse(Assert.Single(output.Split('\n', StringSplitOptions.RemoveEmptyEntries)));
        Assert.InRange(report.RootElement.GetProperty("reads").GetProperty("count").GetInt64(), 1, long.MaxValue);
        Assert.InRange(report.RootElement.GetProperty("writes").GetProperty("count").GetInt64(), 1, long.MaxValue);
        Assert.Equal(report.RootElement.GetProperty("journalUpdates").GetInt64(), report.RootElement.GetProperty("readModelUpdates").GetInt64());
    }

    [Fact]
    public async Task The_hidden_verb_says_that_only_the_benchmark_uses_it()
    {
        var (code, _, errors) = await RunAsync("node", "node-1");
        Assert.Equal(2, code);
        Assert.StartsWith("error: The verb node has no settings", errors, StringComparison.Ordinal);
    }

    private static async Task<(int Code, string Output, string Errors)> RunAsync(params string[] arguments)
    {
        var start = new ProcessStartInfo(
            Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", ["exec", Path.Combine(Folder, $"{typeof(NodeSettings).Assembly.GetName().Name}.dll"), .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using var process = Process.Start(start)!;
        process.StandardInput.Close();
        var (output, errors) = (process.StandardOutput.ReadToEndAsync(), process.StandardError.ReadToEndAsync());
        await process.WaitForExitAsync();
        return (process.ExitCode, await output, await errors);
    }
}
