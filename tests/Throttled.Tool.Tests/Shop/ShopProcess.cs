using System.Diagnostics;
using Throttled.Testing;

namespace Throttled.Tool.Tests.Shop;

/// <summary>The sample shop in a process of its own, on a free port, with its database in a directory of the test's.</summary>
internal sealed class ShopProcess : IDisposable
{
    private readonly List<string> _lines = [];
    private readonly Process _process;

    private ShopProcess(string directory, string? postgreSql, string with)
    {
        var start = new ProcessStartInfo(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet")
        {
            WorkingDirectory = directory,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var argument in (string[])["exec", Path.Combine(AppContext.BaseDirectory, "Shop.dll"), "--urls", "http://127.0.0.1:0", "--with", with])
            start.ArgumentList.Add(argument);
        if (postgreSql is not null)
            start.Environment["ConnectionStrings__Shop"] = postgreSql;
        _process = new() { StartInfo = start };
        _process.OutputDataReceived += (_, line) => Add(line.Data);
        _process.ErrorDataReceived += (_, line) => Add(line.Data);
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    internal HttpClient Client { get; } = new();

    /// <summary>Starts it; it answers when this returns.</summary>
    /// <param name="directory">Where its SQLite file is.</param>
    /// <param name="postgreSql">The database that it has instead.</param>
    /// <param name="with">What it writes its read models with.</param>
    internal static async Task<ShopProcess> StartAsync(string directory, string? postgreSql, string with = "all")
    {
        var shop = new ShopProcess(directory, postgreSql, with);
        await Wait.UntilAsync(() => shop.Address is not null || shop._process.HasExited, () => $"a shop that listens; it says: {shop}");
        if (shop.Address is null)
            await shop._process.WaitForExitAsync();
        shop.Client.BaseAddress = new(shop.Address ?? throw new InvalidOperationException($"The shop ended with {shop._process.ExitCode}: {shop}"));
        return shop;
    }

    public override string ToString()
    {
        lock (_lines)
            return string.Join('\n', _lines);
    }

    /// <summary>Kills it.</summary>
    public void Dispose()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
        Client.Dispose();
    }

    // The line that the host logs.
    private string? Address => ToString().Split("Now listening on: ") is [_, var rest, ..] ? rest.Split('\n')[0].Trim() : null;

    // Null is the end of one of the two outputs; the other may still have lines.
    private void Add(string? line)
    {
        if (line is null)
            return;
        lock (_lines)
            _lines.Add(line);
    }
}
