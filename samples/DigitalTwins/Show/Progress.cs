using System.Diagnostics;
using Spectre.Console;

namespace DigitalTwins.Show;

/// <summary>Shows each phase: in a terminal while it runs, otherwise one line when it has ended. With --json nothing.</summary>
internal sealed class Progress(bool isSilent)
{
    private const int NameWidth = 22;
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(250);

    /// <param name="outcome">Its result as a short text.</param>
    internal async Task<T> RunAsync<T>(string name, Func<string> now, Func<Task<T>> work, Func<T, string> outcome)
    {
        var watch = Stopwatch.StartNew();
        var result = isSilent || Console.IsOutputRedirected ? await work() : await ShowAsync(name, now, work, watch);
        if (!isSilent)
            Console.WriteLine($"{name.PadRight(NameWidth)}{outcome(result)} ({watch.Elapsed.TotalSeconds:N1} s)");
        return result;
    }

    private static Task<T> ShowAsync<T>(string name, Func<string> now, Func<Task<T>> work, Stopwatch watch) =>
        AnsiConsole.Status().StartAsync(name, async status =>
        {
            var working = work();
            while (await Task.WhenAny(working, Task.Delay(Tick)) != working)
                status.Status = Markup.Escape($"{name} · {watch.Elapsed.TotalSeconds:N0} s · {now()}");
            return await working;
        });
}
