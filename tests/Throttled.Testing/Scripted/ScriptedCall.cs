using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Testing.Scripted;

internal enum CallKind
{
    Probe,
    Pages,
    Ordered,
    FromEnd,
    Ids,
    Anchor,
    Keys,
    Rows,
    Older,
    Tags,
    Describe,
    StillRunning,
}

/// <summary>One call to the database. It runs step by step, and each step sees the journal at its time.</summary>
internal sealed class ScriptedCall(CallKind kind, CancellationToken cancellation)
{
    private readonly TaskCompletionSource _ended = new();
    private readonly Queue<Action> _steps = [];

    internal CallKind Kind => kind;

    /// <summary>Whether the call reads for queries, and so holds one of their permits.</summary>
    internal bool IsPages => kind is CallKind.Pages or CallKind.Ordered or CallKind.FromEnd or CallKind.Ids;

    internal IReadOnlyList<ByIdRequest> Asks { get; init; } = [];

    /// <summary>What the call reads in journal order; null for other calls.</summary>
    internal OrderedRows? Ordered { get; init; }

    /// <summary>What the tail polls for; null for other calls.</summary>
    internal KeysRequest? Keys { get; init; }

    /// <summary>The server of the call; null before it has a connection, and if there is only one server.</summary>
    internal ScriptedServer? Server { get; set; }

    internal IEnumerable<string> Ids => Asks.Select(request => request.PersistenceId);

    internal bool IsCancelled => cancellation.IsCancellationRequested;

    internal bool HasEnded => _ended.Task.IsCompleted;

    /// <summary>Whether the call has run a step.</summary>
    internal bool HasBegun { get; private set; }

    /// <summary>Set if the connection broke while the server still runs the statement.</summary>
    internal BrokenSession? Lost { get; set; }

    internal Task Task => _ended.Task;

    /// <summary>
    /// Makes the code that awaits a call run at once, where the call ends. The test's synchronization context would post it
    /// elsewhere.
    /// </summary>
    internal static void ContinueInPlace() => SynchronizationContext.SetSynchronizationContext(null);

    internal void Then(Action step) => _steps.Enqueue(step);

    /// <summary>Runs the next step. After the last step, the call succeeds.</summary>
    internal void Step()
    {
        ContinueInPlace();
        HasBegun = true;
        if (_steps.TryDequeue(out var step))
            Try(step);
        else
            _ended.TrySetResult();
    }

    internal void Fail(Exception error)
    {
        ContinueInPlace();
        _ended.TrySetException(error);
    }

    internal void AcknowledgeCancellation() => Fail(new OperationCanceledException(cancellation));

    private void Try(Action step)
    {
        try
        {
            step();
        }
        catch (ScriptedFault fault)
        {
            Fail(fault);
        }
    }
}
