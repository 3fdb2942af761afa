using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Throttled.Journal.Sqlite;

/// <summary>
/// One use of a connection: it waits in the queue, runs on one of the threads, and ends. A call that is cancelled in the queue
/// ends at once and never starts. SQLite stops a running call when <see cref="MustStop"/> is true.
/// </summary>
internal abstract class SqliteCall(CallLimits limits, CancellationToken cancellation)
{
    private const int Waiting = 0;
    private const int Running = 1;
    private const int Ended = 2;

    private int _state;
    private long _startedAt;
    private CancellationTokenRegistration _registration;

    /// <summary>Whether a running statement must end: it was cancelled, it timed out, or the database is being disposed.</summary>
    internal bool MustStop => IsCancelled || IsOutOfTime;

    private bool IsCancelled => cancellation.IsCancellationRequested || limits.Disposal.IsCancellationRequested;

    private bool IsOutOfTime => limits.Clock.GetElapsedTime(_startedAt) > limits.Timeout;

    /// <summary>Registers the cancellation of a call that waits in the queue.</summary>
    internal void Wait() => _registration = cancellation.UnsafeRegister(call => ((SqliteCall)call!).Withdraw(), this);

    /// <returns>Whether the call may run; false if it was cancelled in the queue.</returns>
    internal bool Start()
    {
        _startedAt = limits.Clock.GetTimestamp();
        return Interlocked.CompareExchange(ref _state, Running, Waiting) == Waiting;
    }

    /// <summary>Does the work. <see cref="Complete"/> delivers the result, once the connection is at rest.</summary>
    internal abstract void Execute(SqliteSession session);

    internal void Complete()
    {
        _registration.Dispose();
        SetResult();
    }

    internal void Fail(Exception error)
    {
        _registration.Dispose();
        if (IsCancelled)
            SetCancelled(cancellation);
        else
            SetError(error is SqliteException { SqliteErrorCode: raw.SQLITE_INTERRUPT } ? OutOfTime(error) : error);
    }

    /// <summary>Ends a call that never started, because it was cancelled or the threads have ended.</summary>
    internal void Withdraw()
    {
        if (Interlocked.CompareExchange(ref _state, Ended, Waiting) != Waiting)
            return;
        _registration.Dispose();
        SetCancelled(cancellation);
    }

    private protected abstract void SetResult();

    private protected abstract void SetCancelled(CancellationToken by);

    private protected abstract void SetError(Exception error);

    private TimeoutException OutOfTime(Exception inner) =>
        new(FormattableString.Invariant($"The statement ran longer than 'StatementTimeout', {DurationText.Of(limits.Timeout)}, and was stopped."), inner);
}

internal sealed class SqliteCall<T>(Func<SqliteSession, T> work, CallLimits limits, CancellationToken cancellation)
    : SqliteCall(limits, cancellation)
{
    // A continuation must not run on this thread, because the next call waits for the thread.
    private readonly TaskCompletionSource<T> _task = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private T? _result;

    internal Task<T> Task => _task.Task;

    internal override void Execute(SqliteSession session) => _result = work(session);

    private protected override void SetResult() => _task.TrySetResult(_result!);

    private protected override void SetCancelled(CancellationToken by) => _task.TrySetCanceled(by);

    private protected override void SetError(Exception error) => _task.TrySetException(error);
}

/// <summary>What ends a running call, besides its own cancellation.</summary>
/// <param name="Timeout">How long the call may run, without its wait in the queue.</param>
/// <param name="Clock">Measures <paramref name="Timeout"/>.</param>
/// <param name="Disposal">Cancelled when the database is disposed.</param>
internal sealed record CallLimits(TimeSpan Timeout, TimeProvider Clock, CancellationToken Disposal);
