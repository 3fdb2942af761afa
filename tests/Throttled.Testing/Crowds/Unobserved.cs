using System.Collections.Concurrent;

namespace Throttled.Testing;

/// <summary>Collects the unobserved exceptions of tasks. They are those of the whole process, so its tests run alone.</summary>
internal sealed class Unobserved : IDisposable
{
    private readonly ConcurrentQueue<Exception> _errors = new();

    internal Unobserved()
    {
        // Removes what earlier tests have left.
        Collect();
        TaskScheduler.UnobservedTaskException += Found;
    }

    internal void AreNone()
    {
        Collect();
        Assert.Empty(_errors);
    }

    public void Dispose() => TaskScheduler.UnobservedTaskException -= Found;

    // A task reports its unobserved exception when it is finalised.
    private static void Collect()
    {
        for (var i = 0; i < 2; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    private void Found(object? sender, UnobservedTaskExceptionEventArgs error) => _errors.Enqueue(error.Exception);
}
