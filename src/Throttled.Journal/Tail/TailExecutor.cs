using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Faults;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Tail;

/// <summary>Runs the tail's statements, one at a time, and handles their errors. On the loop.</summary>
internal sealed class TailExecutor(JournalContext context, TailContext tailContext, PollSchedule schedule)
{
    private int _failures;
    private int _epoch;
    private TimeSpan? _fatalSince;
    private string? _server;

    /// <summary>Whether a statement runs, or may still run on the server after its connection broke.</summary>
    internal bool IsBusy { get; private set; }

    /// <summary>The number of followers. Without followers, failed polls are not retried.</summary>
    internal required Func<int> Followers { get; init; }

    /// <summary>Called with a permanent error.</summary>
    internal required Action<Func<Exception>> Unrecoverable { get; init; }

    /// <summary>Whether the journal was unavailable after the last statement was requested, so that another server may have run it.</summary>
    internal bool IsBetweenServers => !tailContext.Breaker.IsAvailable || tailContext.Breaker.Epoch != _epoch;

    /// <summary>Whether another server answers than when the last statement was requested.</summary>
    internal bool HasMoved => tailContext.Breaker.Server != _server;

    /// <inheritdoc cref="ReservedPermit.Run"/>
    internal void Run(string kind, Func<IJournalDatabase, CancellationToken, Task> statement, Action<Exception?> ended)
    {
        IsBusy = true;
        (_epoch, _server) = (tailContext.Breaker.Epoch, tailContext.Breaker.Server);
        tailContext.Reserved.Run(kind, statement, error =>
        {
            IsBusy = false;
            if (error is null)
                tailContext.Breaker.RecordSuccess();
            ended(error);
        });
    }

    internal void Succeeded()
    {
        _failures = 0;
        if (_fatalSince is { } since)
            context.Log.Available((context.Loop.Now - since).TotalSeconds);
        _fatalSince = null;
    }

    /// <summary>Handles a failed statement: the next poll comes after a delay, or when the journal can be read again.</summary>
    internal void Failed(Exception error)
    {
        if (error is SessionBrokenException broken)
            WaitFor(broken.Session);
        var kind = context.Database.Classify(error);
        if (kind == FaultKind.Fatal)
            FailedFatally(error);
        else if (kind is FaultKind.Transient or FaultKind.TimedOut or FaultKind.Unreadable)
            Later(error);
        else
        {
            tailContext.Breaker.RecordFailure(kind, error);
            tailContext.Breaker.RequestProbe();
        }
    }

    // These errors may be a failover. Live queries are stalled meanwhile, so log them, whether or not a probe meets them too.
    private void FailedFatally(Exception error)
    {
        if (_fatalSince is null && tailContext.Breaker.HasSucceeded)
            context.Log.Unavailable(context.From, context.ClauseOf(error), ", until 'FatalErrorGracePeriod' has passed", error);
        if (!HasLasted())
        {
            Later(error);
            return;
        }
        context.Log.Unrecoverable(context.From, context.ClauseOf(error), error);
        Unrecoverable(() => context.Failure($"The journal cannot be followed: the poll for new events failed: {context.ReasonOf(error)}", error));
    }

    private void Later(Exception error)
    {
        context.Metrics.Retried();
        var pause = BackOff.Delay(_failures++, context.Random.NextDouble());
        context.Log.Retried(Followers(), pause.TotalMilliseconds, error);
        if (_failures % BackOff.Many == 0 && _fatalSince is null)
            context.Log.StillFailing(Followers(), _failures, context.ClauseOf(error), error);
        if (Followers() > 0)
            schedule.After(pause);
    }

    private bool HasLasted()
    {
        _fatalSince ??= context.Loop.Now;
        return !tailContext.Breaker.HasSucceeded || context.Loop.Now - _fatalSince >= context.Options.FatalErrorGracePeriod;
    }

    // The tail has one permit. While the server may still run the last statement, no other one starts.
    private void WaitFor(BrokenSession session)
    {
        IsBusy = true;
        tailContext.BrokenSessions.Add(session, () =>
        {
            IsBusy = false;
            if (Followers() > 0)
                schedule.After(TimeSpan.Zero);
        });
    }
}
