using System.Diagnostics;
using Xunit.Sdk;

namespace Throttled.Testing;

/// <summary>Waits for a condition for a long time. The failure names what did not happen.</summary>
public static class Wait
{
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    public static async Task UntilAsync(Func<bool> condition, Func<string> what, TimeSpan? timeout = null) =>
        await UntilAsync(() => Task.FromResult(condition()), what, timeout);

    public static async Task UntilAsync(Func<Task<bool>> condition, Func<string> what, TimeSpan? timeout = null)
    {
        var longest = timeout ?? Timeout;
        var start = Stopwatch.GetTimestamp();
        while (!await condition())
        {
            if (Stopwatch.GetElapsedTime(start) > longest)
                throw new XunitException($"Not within {longest.TotalSeconds:0} s: {what()}");
            await Task.Delay(Pause, TimeProvider.System);
        }
    }

    public static Task UntilAsync(Func<bool> condition, string what, TimeSpan? timeout = null) =>
        UntilAsync(condition, () => what, timeout);

    public static async Task WithinAsync(this Task task, string what, TimeSpan? timeout = null)
    {
        var longest = timeout ?? Timeout;
        try
        {
            await task.WaitAsync(longest);
        }
        catch (TimeoutException) when (!task.IsCompleted)
        {
            throw new XunitException($"Not within {longest.TotalSeconds:0} s: {what}");
        }
    }

    public static async Task<T> WithinAsync<T>(this Task<T> task, string what, TimeSpan? timeout = null)
    {
        await ((Task)task).WithinAsync(what, timeout);
        return await task;
    }
}
