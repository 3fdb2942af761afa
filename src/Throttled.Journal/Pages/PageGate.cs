using Throttled.Journal.Diagnostics;
using Throttled.Journal.Faults;
using Throttled.Journal.Lines;
using Throttled.Journal.Loop;
using Throttled.Journal.Permits;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Pages;

/// <summary>
/// Where requests for pages wait, first come first served, until a permit is free; then as many of them as one statement
/// serves go on together, spread over the permits that are free. On the loop.
/// </summary>
internal sealed class PageGate : IDisposable
{
    private static readonly TimeSpan Stillness = TimeSpan.FromSeconds(1);

    private readonly Line<PageRequest> _line = new();
    private readonly JournalContext _context;
    private readonly GateParts _parts;
    private readonly PageRetries _retries;
    private readonly StatementShare _share;
    private readonly LoopTimer _longWait;
    private readonly LoopTimer _impatience;
    private readonly LoopTimer _stillness;
    private readonly HashSet<PageRun> _running = [];
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _arrivedBefore;
    private int _slots;
    private int _asked;
    private bool _stopped;

    internal PageGate(JournalContext context, GateParts parts)
    {
        _context = context;
        _parts = parts;
        _retries = new(context);
        _share = new(context.Options.MaxQueriesPerStatement);
        _longWait = new(context.Loop, WarnOfLongWait);
        _impatience = new(context.Loop, FailTheImpatient);
        _stillness = new(context.Loop, LookAtArrivals);
    }

    /// <summary>Statements that hold a permit, the lost ones too.</summary>
    internal int Slots => _slots;

    private bool HasWork => _line.Count > 0 || _retries.HasReady;

    /// <summary>Joins the line for one page.</summary>
    internal void Join(PageRequest request)
    {
        request.Since = _context.Loop.Now;
        _line.Join(request);
    }

    /// <summary>Leaves, wherever it is. A statement whose last member left is cancelled.</summary>
    internal void Leave(PageRequest request)
    {
        if (_line.Leave(request) || request.Batch is not { } batch)
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
            WaitForDatabase();
        else if (_parts.Budget.IsSpent)
            _parts.Held.MakeRoom();
        else if (_parts.Budget.IsAmpleArriving)
            WaitForArrivals();
        else
            AskForPermits();
    }

    /// <summary>Fails all that wait or read, each with an exception of its own: throwing writes into it.</summary>
    internal void FailAll(Func<Exception> error)
    {
        while (_line.TakeFirst() is { } request)
            request.Fail(error());
        foreach (var batch in _retries.TakeAll().Concat(_running.Select(run => run.Batch)).ToList())
        {
            foreach (var request in batch.Dissolve())
                request.Fail(error());
            batch.Run?.Cancel();
        }
    }

    /// <summary>Fails all, starts nothing more, and waits until every statement has ended.</summary>
    internal Task StopAsync(Func<Exception> error)
    {
        _stopped = true;
        FailAll(error);
        if (_running.Count == 0)
            _ended.TrySetResult();
        return _ended.Task;
    }

    public void Dispose()
    {
        _longWait.Dispose();
        _impatience.Dispose();
        _stillness.Dispose();
        _retries.Dispose();
    }

    // What is on its way will end soon, and then there is another look. A statement that stands still must not stop the others.
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

    private void WaitForDatabase()
    {
        _parts.Outage.Need();
        if (_context.Options.CurrentQueryTimeout is not null && !_impatience.IsSet)
            _impatience.Set(TimeSpan.FromSeconds(1));
    }

    private void FailTheImpatient(TimeSpan now)
    {
        if (_parts.Outage.IsUp || _context.Options.CurrentQueryTimeout is not { } timeout)
            return;
        foreach (var request in _line.Where(request => !request.IsLive && now - AwayFor(request) >= timeout))
        {
            _line.Leave(request);
            request.Fail(new JournalException(
                $"The journal could not be read for {timeout}, as long as 'CurrentQueryTimeout' lets a current query wait.",
                _parts.Outage.LastError));
        }
    }

    // A wait in line while the database could be read does not count.
    private TimeSpan AwayFor(PageRequest request) =>
        _parts.Outage.Since is { } began && began > request.Since ? began : request.Since;

    private void AskForPermits()
    {
        // Where all are out, one slot waits in the permits' own line, so that this journal's turn comes among others'.
        var least = _slots >= _parts.Width.Limit || _context.Options.MaxQueriesPerSecond > 0 ? 1 : 0;
        var wanted = Math.Min(Math.Max(least, FreePermits), _retries.ReadyCount + _line.Count);
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

    private PageBatch? NextBatch()
    {
        if (_retries.TakeReady() is { } again)
            return again;
        if (_line.Count == 0)
            return null;
        var members = new PageRequest[_share.Of(_line.Count, FreePermits + 1)];
        for (var i = 0; i < members.Length; i++)
            members[i] = _line.TakeFirst()!;
        return new(members);
    }

    // Where statements are rationed by time, free permits are not what there is little of: all who wait share the next one.
    private int FreePermits => _context.Options.MaxQueriesPerSecond > 0 ? 0 : Math.Max(
        0, Math.Min(_parts.Width.Opened - _running.Count, _parts.Width.Limit - _slots));

    private void Start(StatementSlot slot, PageBatch batch)
    {
        var asks = new PageAsk[batch.Count];
        var members = batch.Count == batch.Size ? batch : new(batch.Dissolve(), batch.Limit) { Failures = batch.Failures, FatalSince = batch.FatalSince };
        for (var i = 0; i < asks.Length; i++)
        {
            var ask = members[i]!.Start();
            asks[i] = ask with { Limit = Math.Min(ask.Limit, members.Limit) };
        }
        var statement = new PageStatement(asks, _context.Options.MaxRowsPerStatement, _parts.Budget);
        var run = new PageRun(_context, slot, members, statement, Ended) { OutageEpoch = _parts.Outage.Epoch };
        _running.Add(run);
        run.Start();
    }

    // The permit goes back before anything is delivered: others can use the database while readers read. What failed is told
    // before it goes back: others must not start on a database that is known to be away.
    private void Ended(PageRun run)
    {
        _running.Remove(run);
        if (run.Error is not null && run.Batch.Count > 0)
            Failed(run, run.Error);
        if (run.Error is StatementLostException lost)
            _parts.Lost.Add(lost.Statement, () => Free(run.Slot));
        else
            Free(run.Slot);
        if (run.Error is null)
            Deliver(run);
        if (_stopped && _running.Count == 0)
            _ended.TrySetResult();
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
        _share.Learn(run.Statement.Rows, run.Statement.MembersReached);
        List<PageRequest>? unread = null;
        for (var i = 0; i < run.Pages!.Count; i++)
        {
            var (member, read) = (run.Batch[i], run.Pages[i]);
            if (member is null)
                _parts.Budget.Return(read?.Page?.Bytes ?? 0);
            else if (read is null)
                (unread ??= []).Add(member);
            else
            {
                member.Batch = null;
                member.Read(read.Value);
            }
        }
        if (unread is not null)
            BackToHead(unread);
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
            // Those that have left since may be the culprits.
            case FaultKind.Unreadable when run.Statement.Asks.Count > 1:
                _retries.Isolate(batch, error);
                break;
            case FaultKind.Unreadable:
                batch.Dissolve()[0].Fail(new JournalException(
                    $"The events of '{run.Statement.Asks[0].PersistenceId}' cannot be read: {error.Message}", error));
                break;
            case FaultKind.Fatal when run.Statement.Asks.Count > 1:
                _retries.Isolate(batch, error);
                break;
            case FaultKind.Fatal:
                FailedFatally(batch, run.Statement.Asks[0].PersistenceId, error);
                break;
            default:
                BackToHead(batch.Dissolve());
                if (run.OutageEpoch == _parts.Outage.Epoch)
                    _parts.Outage.Report(kind, error);
                break;
        }
    }

    // Whether it concerns all, a probe tells: it asks for the same table and the same rights. What a probe does not see concerns this
    // query alone.
    private void FailedFatally(PageBatch batch, string persistenceId, Exception error)
    {
        batch.FatalSince ??= _context.Loop.Now;
        if (!_parts.Outage.HasWorked || _context.Loop.Now - batch.FatalSince >= _context.Options.FatalGrace)
        {
            batch.Dissolve()[0].Fail(new JournalException(
                $"The journal cannot be read for '{persistenceId}': the read of a page failed: {error.Message}", error));
            return;
        }
        _retries.Later(batch, error);
        _parts.Outage.Report(FaultKind.Fatal, error);
    }

    private void BackToHead(IReadOnlyList<PageRequest> requests)
    {
        for (var i = requests.Count - 1; i >= 0; i--)
        {
            requests[i].Batch = null;
            _line.JoinAtHead(requests[i]);
        }
    }

    private void Observe()
    {
        _parts.Gauges.SetPermitsUsed(_slots);
        _parts.Gauges.SetWaiting(_line.Count);
        if (_line.Count > 0 && !_longWait.IsSet && !_stopped)
            _longWait.Set(_context.Options.QueryThrottleWarning);
    }

    private void WarnOfLongWait(TimeSpan now)
    {
        if (_line.First is { } first && now - first.Since >= _context.Options.QueryThrottleWarning && _parts.Outage.IsUp)
            _context.Log.LongWait((now - first.Since).TotalSeconds, _line.Count, _running.Count);
    }
}
