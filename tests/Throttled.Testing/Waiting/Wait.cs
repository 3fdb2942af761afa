using System.Diagnostics;
using Xunit.Sdk;

namespace Throttled.Testing;

/// <summary>Waits for a condition for a long time. The failure names what did not happen.</summary>
public static class Wait
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    public static async Task UntilAsync(Func<bool> condition, Func<string> what, TimeSpan? patience = null) =>
        await UntilAsync(() => Task.FromResult(condition()), what, patience);

    public static async Task UntilAsync(Func<Task<bool>> condition, Func<string> what, TimeSpan? patience = null)
    {
        var deadline = patience ?? Patience;
        var start = Stopwatch.GetTimestamp();
        while (!await condition())
        {
            if (Stopwatch.GetElapsedTime(start) > deadline)
                throw new XunitException($"Not within {deadline.TotalSeconds:0} s: {what()}");
            await Task.Delay(Pause, TimeProvider.System);
        }
    }

    public static Task UntilAsync(Func<bool> condition, string what, TimeSpan? patience = null) =>
        UntilAsync(condition, () => what, patience);

    public static async Task WithinAsync(this Task task, string what, TimeSpan? patience = null)
    {
        var deadline = patience ?? Patience;
        try
        {
            await task.WaitAsync(deadline);
        }
        catch (TimeoutException) when (!task.IsCompleted)
        {
            throw new XunitException($"Not within {deadline.TotalSeconds:0} s: {what}");
        }
    }

    public static async Task<T> WithinAsync<T>(this Task<T> task, string what, TimeSpan? patience = null)
    {
        await ((Task)task).WithinAsync(what, patience);
        return await task;
    }
}
