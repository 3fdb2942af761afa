using Throttled.Journal.Diagnostics;
using Throttled.Journal.Faults;
using Throttled.Journal.Loop;
using Throttled.Journal.Permits;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Pages;

/// <summary>
/// Queues requests for pages, first come first served, until a permit is free; then as many of them as one statement
/// serves go on together, spread over the permits that are free. On the loop.
/// </summary>
internal sealed class PageGate : IDisposable
{
    private static readonly TimeSpan Stillness = TimeSpan.FromSeconds(1);

    private readonly PageLines _lines;
    private readonly BatchReadFactory _statements;
    private readonly JournalContext _context;
    private readonly GateParts _parts;
    private readonly PageRetries _retries;
    private readonly LoopTimer _longWait;
    private readonly LoopTimer _stillness;
    private readonly HashSet<PageRun> _running = [];
    private readonly Ending _ended;
    private long _arrivedBefore;
    private int _slots;
    private int _asked;
    private bool _stopped;

    internal PageGate(JournalContext context, GateParts parts)
    {
        _context = context;
        _parts = parts;
        _retries = new(context);
        _ended = new(context.Loop);
        _lines = new(context.Options, context.Loop, context.Processors, () => parts.Width.Limit);
        _statements = new(context.Options, parts.Budget);
        _longWait = new(context.Loop, WarnOfLongWait);
        _stillness = new(context.Loop, LookAtArrivals);
    }

    /// <summary>Statements that hold a permit, those of broken sessions too.</summary>
    internal int Slots => _slots;

    /// <summary>Since when the request waits that has waited longest; null where none waits.</summary>
    internal TimeSpan? LongestWaitsSince => _lines.Longest?.Since;

    private bool HasWork => _lines.Count > 0 || _retries.HasReady;

    /// <summary>Enqueues a request for one page.</summary>
    internal void Join(PageRequest request)
    {
        request.Since = _context.Loop.Now;
        _lines.Join(request);
    }

    /// <summary>Those who wait in a queue, or for the repetition of a statement, and of whom something is true.</summary>
    internal IReadOnlyList<PageRequest> Waiting(Predicate<PageRequest> isTrue) => [.. _lines.Where(isTrue), .. _retries.Members.Where(member => isTrue(member))];

    /// <summary>Removes it, wherever it is. A statement whose last member was removed is cancelled.</summary>
    internal void Leave(PageRequest request)
    {
        if (_lines.Leave(request) || request.Batch is not { } batch)
            return;
        batch.Leave(request);
        if (batch.Count == 0)
            batch.Run?.Cancel();
    }

    /// <summary>Starts what can be started. Called after each batch of the loop, so that requests which came together share.</summary>
    internal void Dispatch()
    {
        Observe();
        if (!HasWork || _stopped)
            return;
        if (!_parts.Outage.IsUp)
            _parts.Outage.Need();
        else if (_parts.Budget.IsSpent)
            _parts.Held.MakeRoom();
        else if (_parts.Budget.IsAmpleArriving)
            WaitForArrivals();
        else
            AskForPermits();
    }

    /// <summary>Fails all that wait or read.</summary>
    internal void FailAll(Func<Exception> error)
    {
        while (_lines.TakeFirst() is { } request)
            request.Fail(error);
        foreach (var batch in _retries.TakeAll().Concat(_running.Select(run => run.Batch)).ToList())
        {
            foreach (var request in batch.Dissolve())
                request.Fail(error);
            batch.Run?.Cancel();
        }
    }

    /// <summary>Fails all, starts nothing more, and waits until every statement has ended.</summary>
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

    // What is in flight will end soon, and then there is another dispatch. A statement that is stalled must not stop the others.
    private void WaitForArrivals()
    {
        if (_stillness.IsSet)
            return;
        _arrivedBefore = _parts.Budget.AllArrived;
        _stillness.Set(Stillness);
    }

    private void LookAtArrivals(TimeSpan now)
    {
        if (_parts.Budget.AllArrived == _arrivedBefore && HasWork && !_stopped && _parts.Outage.IsUp)
            AskForPermits();
    }

    private void AskForPermits()
    {
        // Where all are out, one slot waits in the permits' own queue, so that this journal's turn comes among others'.
        var least = _slots >= _parts.Width.Limit || _context.Options.MaxQueriesPerSecond > 0 ? 1 : 0;
        var wanted = Math.Min(Math.Max(least, FreePermits), _retries.ReadyCount + _lines.Startable);
        for (var more = wanted - _asked; more > 0 && HasWork; more--)
        {
            _asked++;
            var asked = _context.Loop.Now;
            _parts.Permits.Request(new(slot => Granted(slot, asked)));
        }
    }

    private void Granted(StatementSlot slot, TimeSpan asked)
    {
        _asked--;
        _slots++;
        _context.Metrics.PermitWaited(_context.Loop.Now - asked);
        if (!_stopped && _parts.Outage.IsUp && !_parts.Budget.IsSpent && NextBatch() is { } batch)
            Start(slot, batch);
        else
            Free(slot);
    }

    private PageBatch? NextBatch() => _retries.TakeReady() ?? _lines.TakeBatch(FreePermits + 1);

    // Where statements are rationed by time, free permits are not what there is little of: all who wait share the next one.
    private int FreePermits => _context.Options.MaxQueriesPerSecond > 0 ? 0 : Math.Max(
        0, Math.Min(_parts.Width.Opened - _running.Count, _parts.Width.Limit - _slots));

    private void Start(StatementSlot slot, PageBatch batch)
    {
        var members = batch.Count == batch.Size ? batch : new(batch.Dissolve(), batch.Limit) { Failures = batch.Failures, FatalSince = batch.FatalSince };
        var run = new PageRun(_context, slot, members, _statements.Of(members), Ended) { OutageEpoch = _parts.Outage.Epoch, Server = _parts.Outage.Server };
        _running.Add(run);
        _lines.Started(run.Statement);
        run.Start();
    }

    // The permit goes back before anything is delivered: others can use the database while readers read. What failed is recorded
    // before it goes back: others must not start on a database that is known to be away.
    private void Ended(PageRun run)
    {
        _running.Remove(run);
        _lines.Ended(run.Statement);
        if (run.Error is not null && run.Batch.Count > 0)
            Failed(run, run.Error);
        if (run.Error is StatementLostException lost)
            _parts.Lost.Add(lost.Statement, () => Free(run.Slot));
        else
            Free(run.Slot);
        if (run.Error is null && run.Server == _parts.Outage.Server)
            Deliver(run);
        else if (run.Error is null)
            ReadAgain(run);
        if (_stopped && _running.Count == 0)
            _ended.Set();
    }

    private void Free(StatementSlot slot)
    {
        _slots--;
        _parts.Permits.Return(slot);
    }

    private void Deliver(PageRun run)
    {
        _parts.Outage.Worked();
        _parts.Width.Open();
        if (run.Statement is ByIdBatchRead shared)
            _lines.Learn(shared.Rows, shared.MembersReached);
        List<PageRequest>? unread = null;
        for (var i = 0; i < run.Batch.Size; i++)
        {
            if (run.Batch[i] is not { } member)
            {
                run.Statement.Drop(i);
                continue;
            }
            member.Batch = null;
            if (!run.Statement.Give(i, member))
                (unread ??= []).Add(member);
        }
        if (unread is not null)
            _lines.GoBack(unread);
    }

    // Another server answers than when it was started: what it requested was of one, and what it found may be of the other, which may be behind.
    private void ReadAgain(PageRun run)
    {
        for (var i = 0; i < run.Batch.Size; i++)
            run.Statement.Drop(i);
        _lines.GoBack(run.Batch.Dissolve());
    }

    private void Failed(PageRun run, Exception error)
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
            // Those that were removed since may be the culprits.
            case FaultKind.Unreadable when run.Batch.Size > 1:
                _retries.Isolate(batch, error);
                break;
            case FaultKind.Unreadable:
                Fail(batch.Dissolve()[0], error);
                break;
            case FaultKind.Fatal when run.Batch.Size > 1:
                _retries.Isolate(batch, error);
                break;
            case FaultKind.Fatal:
                FailedFatally(batch, error);
                break;
            default:
                _lines.GoBack(batch.Dissolve());
                if (run.OutageEpoch == _parts.Outage.Epoch)
                    _parts.Outage.Report(kind, error);
                break;
        }
    }

    // Whether it concerns all, a probe shows: it reads the same table and the same rights. What a probe does not see concerns this
    // query alone.
    private void FailedFatally(PageBatch batch, Exception error)
    {
        batch.FatalSince ??= _context.Loop.Now;
        if (!_parts.Outage.HasWorked || _context.Loop.Now - batch.FatalSince >= _context.Options.FatalGrace)
        {
            Fail(batch.Dissolve()[0], error);
            return;
        }
        _retries.Later(batch, error);
        _parts.Outage.Report(FaultKind.Fatal, error);
    }

    private void Fail(PageRequest request, Exception error) =>
        request.Fail(() => _context.Failure($"The journal's reader cannot read {request.Subject}: {_context.ReasonOf(error)}", error));

    private void Observe()
    {
        _parts.Gauges.SetPermitsUsed(_slots);
        _parts.Gauges.SetWaiting(_lines.Count);
        if (_lines.Count > 0 && !_longWait.IsSet && !_stopped)
            _longWait.Set(_context.Options.QueryThrottleWarning);
    }

    private void WarnOfLongWait(TimeSpan now)
    {
        if (_lines.Longest is { } first && now - first.Since >= _context.Options.QueryThrottleWarning && _parts.Outage.IsUp)
            _context.Log.LongWait((now - first.Since).TotalSeconds, _lines.Count, _running.Count);
    }
}
