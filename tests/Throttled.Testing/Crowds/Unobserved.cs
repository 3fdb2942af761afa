using System.Collections.Concurrent;

namespace Throttled.Testing;

/// <summary>Gathers the failures of tasks that nobody looked at; the whole process's, so that its tests run alone.</summary>
internal sealed class Unobserved : IDisposable
{
    private readonly ConcurrentQueue<Exception> _errors = new();

    internal Unobserved()
    {
        // What earlier tests have left.
        Collect();
        TaskScheduler.UnobservedTaskException += Found;
    }

    internal void AreNone()
    {
        Collect();
        Assert.Empty(_errors);
    }

    public void Dispose() => TaskScheduler.UnobservedTaskException -= Found;

    // A task tells of it when it is finalised.
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
