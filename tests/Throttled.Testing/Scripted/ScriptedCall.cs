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

/// <summary>One call to the database. It goes on a step at a time, and each step sees the journal as it is then.</summary>
internal sealed class ScriptedCall(CallKind kind, CancellationToken cancellation)
{
    private readonly TaskCompletionSource _ended = new();
    private readonly Queue<Action> _steps = [];

    internal CallKind Kind => kind;

    /// <summary>Whether it reads for queries, and so holds one of their permits.</summary>
    internal bool IsPages => kind is CallKind.Pages or CallKind.Ordered or CallKind.FromEnd or CallKind.Ids;

    internal IReadOnlyList<ByIdRequest> Asks { get; init; } = [];

    /// <summary>What it reads in journal order; null where it does not.</summary>
    internal OrderedRows? Ordered { get; init; }

    /// <summary>What the tail polls for; null where it does not.</summary>
    internal KeysRequest? Keys { get; init; }

    /// <summary>The server that it runs on; null before it has a connection, and where there is one only.</summary>
    internal ScriptedServer? Server { get; set; }

    internal IEnumerable<string> Ids => Asks.Select(request => request.PersistenceId);

    internal bool IsCancelled => cancellation.IsCancellationRequested;

    internal bool HasEnded => _ended.Task.IsCompleted;

    /// <summary>Whether any step was taken.</summary>
    internal bool HasBegun { get; private set; }

    /// <summary>Set where the connection broke and the server runs it on.</summary>
    internal BrokenSession? Lost { get; set; }

    internal Task Task => _ended.Task;

    /// <summary>Whoever waits for a call goes on at once, where the call ends: a test's own context would post it elsewhere.</summary>
    internal static void ContinueInPlace() => SynchronizationContext.SetSynchronizationContext(null);

    internal void Then(Action step) => _steps.Enqueue(step);

    /// <summary>The next step; after the last one the call has succeeded.</summary>
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
