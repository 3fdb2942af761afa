using Throttled.Journal.Database;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Faults;

/// <summary>
/// A permit in addition to those of the queries. Probes and the tail's statements use it in turn, first come first served. No number of queries can
/// keep them from running. On the loop.
/// </summary>
internal sealed class ReservedPermit(JournalContext context) : IDisposable
{
    private readonly Queue<ReservedStatement> _waiting = new();
    private readonly CancellationTokenSource _disposal = new();
    private readonly Completion _idle = new(context.Loop);
    private ReservedStatement? _running;
    private bool _stopped;

    /// <summary>Queues a statement.</summary>
    /// <param name="kind">The kind of statement, for the metrics.</param>
    /// <param name="run">Starts the statement; called outside the loop.</param>
    /// <param name="ended">Called on the loop with the exception, or null if there was none. Not called after disposal.</param>
    internal void Run(string kind, Func<IJournalDatabase, CancellationToken, Task> run, Action<Exception?> ended)
    {
        if (_stopped)
            return;
        _waiting.Enqueue(new(kind, run, ended));
        StartNext();
    }

    /// <summary>Cancels the running statement, discards the queue, and waits until the statement has ended.</summary>
    internal Task StopAsync()
    {
        _stopped = true;
        _waiting.Clear();
        context.Loop.RunOutside(new Cancellation(_disposal));
        if (_running is null)
            _idle.Set();
        return _idle.Task;
    }

    public void Dispose() => _disposal.Dispose();

    private void StartNext()
    {
        if (_running is not null || !_waiting.TryDequeue(out _running))
            return;
        var (kind, run, ended) = _running;
        context.Loop.RunOutside(
            () => context.Metrics.MeasureAsync(kind, () => run(context.Database, _disposal.Token), _disposal.Token), error => Ended(ended, error));
    }

    private void Ended(Action<Exception?> ended, Exception? error)
    {
        _running = null;
        if (_stopped)
        {
            _idle.Set();
            return;
        }
        ended(error);
        StartNext();
    }

    private sealed record ReservedStatement(string Kind, Func<IJournalDatabase, CancellationToken, Task> Run, Action<Exception?> Ended);
}
