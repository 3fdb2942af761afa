using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Faults;
using Throttled.Journal.Loop;
using Throttled.Journal.Permits;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Pages;

/// <summary>
/// Queues page requests, first come first served, until a permit is free. Then as many requests as one statement can serve start together, spread
/// over the free permits. On the loop.
/// </summary>
internal sealed class PageScheduler : IDisposable
{
    private static readonly TimeSpan Stillness = TimeSpan.FromSeconds(1);

    private readonly PageQueues _queues;
    private readonly BatchReadFactory _statements;
    private readonly JournalContext _context;
    private readonly SchedulerContext _schedulerContext;
    private readonly BatchRetries _retries;
    private readonly LoopTimer _longWait;
    private readonly LoopTimer _stillness;
    private readonly HashSet<BatchRun> _running = [];
    private readonly Completion _ended;
    private long _receivedBefore;
    private int _requested;
    private bool _stopped;

    internal PageScheduler(JournalContext context, SchedulerContext schedulerContext)
    {
        _context = context;
        _schedulerContext = schedulerContext;
        _retries = new(context);
        _ended = new(context.Loop);
        _queues = new(context.Options, context.Loop, context.Processors, () => schedulerContext.AdaptiveLimit.Limit);
        _statements = new(context.Options, schedulerContext.Budget);
        _longWait = new(context.Loop, WarnOfLongWait);
        _stillness = new(context.Loop, CheckInFlight);
    }

    /// <summary>Statements that hold a permit, including those of broken sessions.</summary>
    internal int Slots { get; private set; }

    /// <summary>When the longest-waiting request was queued; null if none waits.</summary>
    internal TimeSpan? LongestWaitsSince => _queues.Longest?.Since;

    private bool HasWork => _queues.Count > 0 || _retries.HasReady;

    internal void Enqueue(PageRequest request)
    {
        request.Since = _context.Loop.Now;
        _queues.Enqueue(request);
    }

    /// <summary>The matching requests that wait in a queue or for a retry.</summary>
    internal IReadOnlyList<PageRequest> Waiting(Predicate<PageRequest> isTrue) => [.. _queues.Where(isTrue), .. _retries.Members.Where(member => isTrue(member))];

    /// <summary>Removes a request from its queue or batch. If the batch becomes empty, its statement is cancelled.</summary>
    internal void Remove(PageRequest request)
    {
        if (_queues.Remove(request) || request.Batch is not { } batch)
            return;
        batch.Remove(request);
        if (batch.Count == 0)
            batch.Run?.Cancel();
    }

    /// <summary>Starts statements if possible. Called after each batch of loop actions, so requests that came together can share a statement.</summary>
    internal void Dispatch()
    {
        if (_queues.Count > 0 && !_longWait.IsSet && !_stopped)
            _longWait.Set(_context.Options.QueryThrottleWarning);
        if (HasWork && !_stopped)
            DispatchWork();
        // Permits may be granted within the call. The loop may then rest until a statement ends.
        Observe();
    }

    /// <summary>Fails all requests, queued or running.</summary>
    internal void FailAll(Func<Exception> error)
    {
        while (_queues.TakeFirst() is { } request)
            request.Fail(error);
        foreach (var batch in _retries.TakeAll().Concat(_running.Select(run => run.Batch)).ToList())
        {
            foreach (var request in batch.Dissolve())
                request.Fail(error);
            batch.Run?.Cancel();
        }
    }

    /// <summary>Fails all requests, starts no more statements, and waits until every statement has ended.</summary>
    internal Task StopAsync(Func<Exception> error)
    {
        _stopped = true;
        FailAll(error);
        if (_running.Count == 0)
            _ended.Set();
        return _ended.Task;
    }

    public void Dispose()
    {
        _longWait.Dispose();
        _stillness.Dispose();
        _retries.Dispose();
    }

    private void DispatchWork()
    {
        if (!_schedulerContext.Breaker.IsAvailable)
            _schedulerContext.Breaker.RequestProbe();
        else if (_schedulerContext.Budget.IsExhausted)
            _schedulerContext.Held.ReclaimIdle();
        else if (_schedulerContext.Budget.HasEnoughInFlight)
            WaitForInFlight();
        else
            RequestPermits();
    }

    // Running statements end soon, and then requests are dispatched again. A stalled statement must not stop the others.
    private void WaitForInFlight()
    {
        if (_stillness.IsSet)
            return;
        _receivedBefore = _schedulerContext.Budget.TotalReceived;
        _stillness.Set(Stillness);
    }

    private void CheckInFlight(TimeSpan now)
    {
        if (_schedulerContext.Budget.TotalReceived == _receivedBefore && HasWork && !_stopped && _schedulerContext.Breaker.IsAvailable)
            RequestPermits();
    }

    private void RequestPermits()
    {
        // If all permits are in use, one slot waits in the queue of the permit source. So this journal gets its turn among other journals.
        var least = Slots >= _schedulerContext.AdaptiveLimit.Limit || _schedulerContext.AdaptiveLimit.IsRateLimited ? 1 : 0;
        var wanted = Math.Min(Math.Max(least, FreePermits), _retries.ReadyCount + _queues.Startable);
        for (var more = wanted - _requested; more > 0 && HasWork; more--)
        {
            _requested++;
            var requestedAt = _context.Loop.Now;
            _schedulerContext.Permits.Request(new(slot => Granted(slot, requestedAt)));
        }
    }

    private void Granted(StatementSlot slot, TimeSpan requestedAt)
    {
        _requested--;
        Slots++;
        _context.Metrics.PermitWaited(_context.Loop.Now - requestedAt);
        if (!_stopped && _schedulerContext.Breaker.IsAvailable && !_schedulerContext.Budget.IsExhausted && NextBatch() is { } batch)
            Start(slot, batch);
        else
            Free(slot);
    }

    private PageBatch? NextBatch() => _retries.TakeReady() ?? _queues.TakeBatch(FreePermits + 1);

    // If the start rate is limited, tokens are scarce, not permits. All waiting requests then share the next statement.
    private int FreePermits => _schedulerContext.AdaptiveLimit.IsRateLimited ? 0 : Math.Max(
        0, Math.Min(_schedulerContext.AdaptiveLimit.Current - _running.Count, _schedulerContext.AdaptiveLimit.Limit - Slots));

    private void Start(StatementSlot slot, PageBatch batch)
    {
        var members = batch.Count == batch.Size ? batch : new(batch.Dissolve(), batch.Limit) { Failures = batch.Failures, FatalSince = batch.FatalSince };
        var run = new BatchRun(_context, slot, members, _statements.Of(members), Ended) { BreakerEpoch = _schedulerContext.Breaker.Epoch, Server = _schedulerContext.Breaker.Server };
        _running.Add(run);
        _queues.Started(run.Read);
        run.Start();
    }

    // Return the permit before delivering: other queries can use the database while readers process events. Record a failure before returning the
    // permit: other statements must not start on a database that is known to be unavailable.
    private void Ended(BatchRun run)
    {
        _running.Remove(run);
        _queues.Ended(run.Read);
        if (run.Error is not null && run.Batch.Count > 0)
            Failed(run, run.Error);
        if (run.Error is SessionBrokenException broken)
            _schedulerContext.BrokenSessions.Add(broken.Session, () => Free(run.Slot));
        else
            Free(run.Slot);
        if (run.Error is null && run.Server == _schedulerContext.Breaker.Server)
            Deliver(run);
        else if (run.Error is null)
            ReadAgain(run);
        if (_stopped && _running.Count == 0)
            _ended.Set();
    }

    private void Free(StatementSlot slot)
    {
        Slots--;
        _schedulerContext.Permits.Return(slot);
    }

    private void Deliver(BatchRun run)
    {
        _schedulerContext.Breaker.RecordSuccess();
        _schedulerContext.AdaptiveLimit.RecordSuccess();
        if (run.Read.Rows is ByIdRows byId)
            _queues.Record(byId.Rows, byId.MembersReached);
        List<PageRequest>? unread = null;
        for (var i = 0; i < run.Batch.Size; i++)
        {
            if (run.Batch[i] is not { } member)
            {
                run.Read.Rows.Drop(i);
                continue;
            }
            member.Batch = null;
            if (!run.Read.Give(i, member))
                (unread ??= []).Add(member);
        }
        if (unread is not null)
            _queues.Requeue(unread);
    }

    // Another server answers than at the start of the statement. The request is based on one server and the result may be from another one, which may
    // be behind.
    private void ReadAgain(BatchRun run)
    {
        for (var i = 0; i < run.Batch.Size; i++)
            run.Read.Rows.Drop(i);
        _queues.Requeue(run.Batch.Dissolve());
    }

    private void Failed(BatchRun run, Exception error)
    {
        var batch = run.Batch;
        var kind = _context.Database.Classify(error);
        switch (kind)
        {
            case FaultKind.Transient:
                _retries.Later(batch, error);
                break;
            case FaultKind.TimedOut:
                _retries.Halve(batch, error);
                break;
            // The removed members may have caused the error, so the size counts them.
            case FaultKind.Unreadable or FaultKind.Fatal when batch.Size > 1:
                _retries.Isolate(batch, error);
                break;
            case FaultKind.Unreadable:
                Fail(batch.Dissolve()[0], error);
                break;
            case FaultKind.Fatal:
                FailedFatally(batch, error);
                break;
            default:
                _queues.Requeue(batch.Dissolve());
                if (run.BreakerEpoch == _schedulerContext.Breaker.Epoch)
                    _schedulerContext.Breaker.RecordFailure(kind, error);
                break;
        }
    }

    // A probe shows whether the error affects all queries, because it reads the same table with the same rights. An error that a probe does not meet
    // affects this query only.
    private void FailedFatally(PageBatch batch, Exception error)
    {
        batch.FatalSince ??= _context.Loop.Now;
        if (!_schedulerContext.Breaker.HasSucceeded || _context.Loop.Now - batch.FatalSince >= _context.Options.FatalErrorGracePeriod)
        {
            Fail(batch.Dissolve()[0], error);
            return;
        }
        _retries.Later(batch, error);
        _schedulerContext.Breaker.RecordFailure(FaultKind.Fatal, error);
    }

    private void Fail(PageRequest request, Exception error) =>
        request.Fail(() => _context.Failure($"The journal's reader cannot read {request.Subject}: {_context.ReasonOf(error)}", error));

    private void Observe()
    {
        _schedulerContext.Gauges.PermitsUsed = Slots;
        _schedulerContext.Gauges.PermitLimit = _schedulerContext.AdaptiveLimit.Limit;
        _schedulerContext.Gauges.SetWaiting(_queues.Count, LongestWaitsSince);
        _schedulerContext.Gauges.BrokenSessions = _schedulerContext.BrokenSessions.Count;
        _schedulerContext.Gauges.Breaker = _schedulerContext.Breaker.State;
    }

    private void WarnOfLongWait(TimeSpan now)
    {
        if (_queues.Longest is { } first && now - first.Since >= _context.Options.QueryThrottleWarning && _schedulerContext.Breaker.IsAvailable)
            _context.Log.LongWait((now - first.Since).TotalSeconds, _queues.Count, _running.Count, _schedulerContext.AdaptiveLimit.Limit);
    }
}

/// <summary>What the page scheduler uses in addition to the journal's context.</summary>
internal sealed record SchedulerContext(
    IPermitSource Permits, AdaptiveLimit AdaptiveLimit, ByteBudget Budget, HeldPages Held, CircuitBreaker Breaker, BrokenSessions BrokenSessions, JournalGauges Gauges);
