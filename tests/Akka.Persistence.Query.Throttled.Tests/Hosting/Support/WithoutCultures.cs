using System.Diagnostics;
using Akka.Persistence.Query.Throttled.Hosting;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting.Support;

/// <summary>Runs the health check of a journal on SQL Server in a new process without cultures, because a process cannot switch them off later.</summary>
internal static class WithoutCultures
{
    /// <summary>The new process's entry point. It prints the status, then the description.</summary>
    internal static async Task Main()
    {
        await using var app = await TestApp.StartAsync(
            builder => builder.WithThrottledReadJournal("Server=127.0.0.1,9;User ID=reader;Password=hunter2", "SqlServer.2022"), health => health.AddThrottledReadJournal(timeout: TimeSpan.FromMinutes(1)));
        var entry = await app.HealthAsync();
        Console.WriteLine($"{entry.Status}\n{entry.Description}");
    }

    internal static async Task<string> RunAsync()
    {
        var assembly = typeof(WithoutCultures).Assembly.Location;
        var configuration = Path.Combine(Path.GetTempPath(), $"throttled-{Guid.NewGuid():N}.json");
        var text = await File.ReadAllTextAsync(Path.ChangeExtension(assembly, ".runtimeconfig.json"));
        const string setting = "\"System.Globalization.Invariant\": ";
        Assert.Contains($"{setting}false", text, StringComparison.Ordinal);
        await File.WriteAllTextAsync(configuration, text.Replace($"{setting}false", $"{setting}true", StringComparison.Ordinal));
        var start = new ProcessStartInfo(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", ["exec", "--runtimeconfig", configuration, assembly])
        {
            RedirectStandardOutput = true,
        };
        using var process = Process.Start(start)!;
        var output = await process.StandardOutput.ReadToEndAsync().WithinAsync("the end of a process without cultures");
        File.Delete(configuration);
        return output;
    }
}
