using System.Diagnostics;
using System.Text.Json;

namespace Throttled.Benchmarks;

/// <summary>Runs a sample in its own process, so that no run inherits the memory of another.</summary>
internal static class CrushProcess
{
    internal static async Task<TReport> RunAsync<TReport>(string[] arguments)
    {
        // A sample beside this program lacks the files that this program takes from a shared framework.
        var own = Path.ChangeExtension(typeof(CrushProcess).Assembly.Location, null);
        string[] host = ["exec", "--depsfile", $"{own}.deps.json", "--runtimeconfig", $"{own}.runtimeconfig.json", typeof(TReport).Assembly.Location];
        var start = new ProcessStartInfo("dotnet", [.. host, .. arguments]) { RedirectStandardOutput = true };
        using var process = Process.Start(start)!;
        var output = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        return process.ExitCode == 0
            ? JsonSerializer.Deserialize<TReport>(output, JsonSerializerOptions.Web)!
            : throw new InvalidOperationException($"The sample ended with {process.ExitCode}: {output}");
    }
}
