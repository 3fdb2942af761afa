using Throttled.Journal.Database;

namespace Throttled.Journal.Relational;

/// <summary>Runs the calls of one journal, each on one session, and keeps the sessions open. Thread-safe.</summary>
/// <param name="clock">The journal's clock.</param>
/// <param name="close">Closes a session.</param>
internal abstract class AdoSessions<TSession>(TimeProvider clock, Func<TSession, Task> close) : IAsyncDisposable
    where TSession : class, IAdoSession
{
    protected SessionPool<TSession> Pool { get; } = new(clock, close);

    /// <summary>Runs a call on one session.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled, and the server confirmed it.</exception>
    /// <exception cref="SessionBrokenException">The connection broke, and the server may still be running the statement.</exception>
    internal Task<T> RunAsync<T>(Func<TSession, Task<T>> work, CancellationToken cancellation) => RunAsync(isProbe: false, work, cancellation);

    /// <summary>Runs a call on any server that answers.</summary>
    internal Task<T> ProbeAsync<T>(Func<TSession, Task<T>> work, CancellationToken cancellation) => RunAsync(isProbe: true, work, cancellation);

    public virtual ValueTask DisposeAsync() => Pool.DisposeAsync();

    /// <returns>An open session for the call; null if a new one must be opened.</returns>
    protected virtual ValueTask<TSession?> TakeAsync(bool isProbe) => new(Pool.Take());

    protected abstract ValueTask<TSession> OpenAsync(bool isProbe, CancellationToken cancellation);

    /// <summary>Whether an error of opening a session would otherwise look like the fault of a statement, or like a permanent one.</summary>
    protected abstract bool IsOfOpeningOnly(Exception error);

    protected abstract string ReasonOf(Exception error);

    protected virtual void Begin(TSession session, bool isProbe)
    {
    }

    protected virtual bool CanEnforceCancel(TSession session) => true;

    /// <summary>Ensures that a cancelled call ends, until it has ended.</summary>
    protected abstract Task EnforceCancelAsync(TSession session, CancellationToken ended);

    /// <summary>Throws if the result of a call does not count, because its connection broke at its end.</summary>
    protected virtual void ThrowIfBroken(TSession session)
    {
    }

    /// <summary>Whether a session must not be used again after an error, although its connection is open.</summary>
    protected virtual bool IsStale(Exception error) => false;

    /// <summary>The error of a call as the engine knows it.</summary>
    protected abstract Exception Ended(TSession session, Exception error, CancellationToken cancellation);

    private async Task<T> RunAsync<T>(bool isProbe, Func<TSession, Task<T>> work, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        var session = await TakeAsync(isProbe).ConfigureAwait(false) ?? await OpenOrExplainAsync(isProbe, cancellation).ConfigureAwait(false);
        Begin(session, isProbe);
        var isStale = false;
        try
        {
            var result = await WatchAsync(session, work, cancellation).ConfigureAwait(false);
            ThrowIfBroken(session);
            return result;
        }
        catch (Exception error)
        {
            isStale = IsStale(error);
            throw Ended(session, error, cancellation);
        }
        finally
        {
            await (isStale || session.IsBroken ? Pool.DropAsync(session) : Pool.ReturnAsync(session)).ConfigureAwait(false);
        }
    }

    // A failure here affects all statements, so it must not be taken for the fault of one of them.
    private async Task<TSession> OpenOrExplainAsync(bool isProbe, CancellationToken cancellation)
    {
        try
        {
            return await OpenAsync(isProbe, cancellation).ConfigureAwait(false);
        }
        catch (Exception error) when (!cancellation.IsCancellationRequested && IsOfOpeningOnly(error))
        {
            throw new OpeningException(ReasonOf(error), error);
        }
    }

    private async Task<T> WatchAsync<T>(TSession session, Func<TSession, Task<T>> work, CancellationToken cancellation)
    {
        if (!cancellation.CanBeCanceled || !CanEnforceCancel(session))
            return await work(session).ConfigureAwait(false);
        var enforcing = Task.CompletedTask;
        using var ended = new CancellationTokenSource();
        var watch = cancellation.UnsafeRegister(_ => enforcing = EnforceCancelAsync(session, ended.Token), state: null);
        try
        {
            return await work(session).ConfigureAwait(false);
        }
        finally
        {
            // Wait for a cancel that was sent: it could hit the session's next statement.
            await watch.DisposeAsync().ConfigureAwait(false);
            await ended.CancelAsync().ConfigureAwait(false);
            await enforcing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
