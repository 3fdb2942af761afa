using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Testing.Scripted;

/// <summary>A database whose calls run and fail as the test says, and are counted as on a server.</summary>
internal sealed class ScriptedDatabase(ScriptedJournal journal, TimeProvider clock) : IJournalDatabase
{
    private readonly List<ScriptedCall> _pending = [];
    private readonly List<(ScriptedCall Call, TimeSpan EndsAt)> _lost = [];
    private readonly List<ScriptedCall> _calls = [];
    private int _backends;

    /// <summary>The journal of the server that answers.</summary>
    internal ScriptedJournal Journal { get; set; } = journal;

    public string System => "scripted";

    public bool ReusesOrderings => Journal.ReusesOrderings;

    public string? Address { get; set; }

    public bool HasTriedEvidence { get; init; } = true;

    /// <summary>Whether the database shows the open transactions.</summary>
    internal bool KnowsOpenTransactions { get; set; } = true;

    /// <summary>Whether a poll that reads whole rows also reads those in gaps.</summary>
    internal bool ReadsLateRows { get; set; } = true;

    /// <summary>The run of the server; null if the database does not show it.</summary>
    internal string? Server { get; set; }

    /// <summary>The server that answers a probe; null if the database does not show it.</summary>
    internal string? Identity { get; set; }

    /// <summary>The two servers behind the address; null if there is only one.</summary>
    internal ScriptedServers? Servers { get; set; }

    /// <summary>Changes the result of a poll when it has ended.</summary>
    internal Func<KeysRequest, KeysResult, KeysResult> ChangePoll { get; set; } = (_, result) => result;

    /// <summary>Changes the result of a first poll when it has ended.</summary>
    internal Func<TailStart, TailStart> ChangeStart { get; set; } = start => start;

    /// <summary>The error of a statement when it begins; null for none.</summary>
    internal Func<ScriptedCall, Exception?>? Fault { get; set; }

    /// <summary>Why events cannot be read in order; null if they can.</summary>
    internal string? OrderRefusal { get; set; }

    /// <summary>Why events cannot be read in order, as a poll with open transactions finds it; null if they can.</summary>
    internal string? PollRefusal { get; set; }

    /// <summary>Why queries by tag are slow; null if they are not.</summary>
    internal string? TagWarning { get; set; }

    internal TagMode TagMode { get; init; }

    /// <summary>The connections of the database; null for no limit.</summary>
    internal ConnectionBudget? Budget { get; set; }

    /// <summary>The increment of the orderings that the database reports.</summary>
    internal long Increment { get; set; } = 1;

    /// <summary>The number of statements that the database says it can run.</summary>
    internal int Ceiling { get; set; } = int.MaxValue;

    /// <summary>Whether a pooler hides the process of a statement.</summary>
    internal bool HidesBackends { get; set; }

    /// <summary>The longest run of a statement before the server ends it.</summary>
    internal TimeSpan StatementTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Chooses whether the members of a page statement see one state of the journal or each a different one; null for one
    /// state.
    /// </summary>
    internal Random? Random { get; init; }

    /// <summary>Called with each call when it begins.</summary>
    internal Action<ScriptedCall>? Began { get; set; }

    /// <summary>Called for each row by persistence id after which the statement can read more.</summary>
    internal Action? WentOn { get; set; }

    /// <summary>Whether the server is down: all calls fail.</summary>
    internal bool IsDown { get; set; }

    internal bool KeepsCalls { get; init; } = true;

    internal bool IsDisposed { get; private set; }

    internal Action? Wake { get; private set; }

    private TaskCompletionSource? _listening;

    /// <summary>Calls that have not ended, the oldest first.</summary>
    internal IReadOnlyList<ScriptedCall> Pending => _pending;

    /// <summary>All calls ever made, in order.</summary>
    internal IReadOnlyList<ScriptedCall> Calls => _calls;

    internal int CallCount { get; private set; }

    /// <summary>Statements that the server still runs although their connection broke.</summary>
    internal IReadOnlyList<ScriptedCall> StillLost => [.. _lost.Where(lost => lost.EndsAt > Now).Select(lost => lost.Call)];

    private TimeSpan Now => clock.GetElapsedTime(0);

    internal int RunningPages => _pending.Count(call => call.IsPages) + StillLost.Count(call => call.IsPages);

    internal int RunningReserved => _pending.Count(call => !call.IsPages);

    public Task<ProbeResult> ProbeAsync(CancellationToken cancellation)
    {
        var call = Begin(new(CallKind.Probe, cancellation));
        OnceConnected(call, static _ => { });
        return EndsWith(call, () => new ProbeResult(Ceiling, "the script says so")
        {
            Budget = Budget,
            Increment = Increment,
            OrderRefusal = OrderRefusal,
            TagWarning = TagWarning,
            Server = call.Server?.Name ?? Identity,
        });
    }

    public void Accept(ProbeResult result) => Servers?.Accept(result.Server);

    public Task ReadPagesAsync(ByIdRows rows, CancellationToken cancellation)
    {
        // The tail checks whether an id has an older row; this is not a query's page.
        var kind = rows.Requests is [{ Range.From: long.MinValue }] ? CallKind.Older : CallKind.Pages;
        var call = Begin(new(kind, cancellation) { Asks = rows.Requests });
        OnceConnected(call, journal => new ScriptedPages(journal, rows, WentOn).AddTo(call, Random?.Next(2) == 0));
        return call.Task;
    }

    public Task ReadOrderedAsync(OrderedRows rows, CancellationToken cancellation)
    {
        var call = Begin(new(CallKind.Ordered, cancellation) { Ordered = rows });
        OnceConnected(call, journal => new ScriptedOrder(journal, rows, TagMode, Random).AddTo(call));
        return call.Task;
    }

    public Task ReadFromEndAsync(FromEndRows rows, CancellationToken cancellation)
    {
        var call = Begin(new(CallKind.FromEnd, cancellation));
        OnceConnected(call, journal => call.Then(() => _ = journal.Between(0, rows.Below - 1).AsEnumerable().Reverse()
            .Where(row => rows.Tag is not { } tag || TagMode == TagMode.Csv || row.Has([tag], StringComparer.OrdinalIgnoreCase)).Take(rows.MaxRows)
            .All(row => rows.Add(row.Ordering, row.DeletedAt is null ? row.PersistenceId : null, row.Tags))));
        return call.Task;
    }

    public Task ReadIdsAsync(IdsRows rows, CancellationToken cancellation)
    {
        var call = Begin(new(CallKind.Ids, cancellation));
        List<(string Id, bool HasEvents)> ids = [];
        OnceConnected(call, journal =>
        {
            call.Then(() => ids = journal.IdsAfter(rows.After, rows.Limit));
            call.Then(() => _ = ids.TrueForAll(each => rows.Add(each.Id, each.HasEvents)));
        });
        return call.Task;
    }

    public Task<TailStart> ReadStartAsync(CancellationToken cancellation)
    {
        var call = Begin(new(CallKind.Anchor, cancellation));
        JournalKey? last = null;
        IReadOnlySet<string>? openTransactions = null;
        OnceConnected(call, journal =>
        {
            call.Then(() => last = journal.Last);
            call.Then(() => openTransactions = Knows(call) ? journal.OpenTransactions : null);
        });
        return EndsWith(call, () => ChangeStart(new TailStart(last, openTransactions) { OrderRefusal = PollRefusal }));
    }

    public Task<KeysResult> ReadKeysAsync(KeysRequest request, CancellationToken cancellation)
    {
        var call = Begin(new(CallKind.Keys, cancellation) { Keys = request });
        ScriptedPoll? poll = null;
        OnceConnected(call, journal => (poll = new ScriptedPoll(journal, request, Knows(call), ReadsLateRows)).AddTo(call));
        return EndsWith(call, () => ChangePoll(request, poll!.Found() with { Server = Server, OrderRefusal = poll.WantsOpenTransactions ? PollRefusal : null }));
    }

    public Task ReadRowsAsync(TailRows wanted, CancellationToken cancellation)
    {
        var call = Begin(new(CallKind.Rows, cancellation));
        OnceConnected(call, journal => call.Then(() => new ScriptedRows(journal, wanted).Read()));
        return call.Task;
    }

    /// <summary>The orderings up to which the database was notified that nothing can be committed any more.</summary>
    internal List<long> Horizons { get; } = [];

    public void ForgetTagHorizon() => Horizons.Add(-1);

    public Task ReadTagHorizonAsync(long settled, CancellationToken cancellation)
    {
        Horizons.Add(settled);
        return Begin(new(CallKind.Tags, cancellation)).Task;
    }

    public Task<string?> DescribeOldestAsync(IReadOnlySet<string> openTransactions, CancellationToken cancellation) =>
        EndsWith(Begin(new(CallKind.Describe, cancellation)), () => (string?)string.Join("+", openTransactions.Order(StringComparer.Ordinal)));

    public Task<IReadOnlyList<BrokenSession>> StillRunningAsync(
        IReadOnlyList<BrokenSession> lost, CancellationToken cancellation)
    {
        IReadOnlyList<BrokenSession> running = lost;
        var call = Begin(new(CallKind.StillRunning, cancellation));
        OnceConnected(call, _ => call.Then(() => running = [.. StillLost.Select(call => call.Lost!).Intersect(lost)]));
        return EndsWith(call, () => running);
    }

    public FaultKind Classify(Exception error) => error switch
    {
        ScriptedFault fault => fault.Kind,
        SessionBrokenException => FaultKind.ConnectionLost,
        _ => FaultKind.Fatal,
    };

    public Task ListenAsync(Action wake, CancellationToken cancellation)
    {
        Wake = wake;
        var listening = _listening = new();
        cancellation.UnsafeRegister(_ => listening.TrySetCanceled(cancellation), null);
        return listening.Task;
    }

    public ValueTask DisposeAsync()
    {
        Assert.Empty(_pending);
        IsDisposed = true;
        return default;
    }

    /// <summary>Runs a call's fault, if it has one, or its next step.</summary>
    internal void Step(ScriptedCall call)
    {
        if (call.IsCancelled)
            call.AcknowledgeCancellation();
        else if (IsDown)
            call.Fail(new ScriptedFault(FaultKind.ConnectionLost));
        else if (!call.HasBegun && Fault?.Invoke(call) is { } fault)
            call.Fail(fault);
        else
            call.Step();
        _pending.RemoveAll(pending => pending.HasEnded);
    }

    internal void Fail(ScriptedCall call, FaultKind kind)
    {
        _pending.Remove(call);
        call.Fail(new ScriptedFault(kind));
    }

    /// <summary>Breaks the connection of the journal's notifications.</summary>
    /// <returns>Whether there was one.</returns>
    internal bool StopListening()
    {
        ScriptedCall.ContinueInPlace();
        return _listening?.TrySetException(new ScriptedFault(FaultKind.ConnectionLost)) ?? false;
    }

    /// <summary>Breaks the connection of a statement that the server runs on.</summary>
    /// <param name="call">The statement.</param>
    /// <param name="isStuck">Whether the server's timeout does not end it.</param>
    internal void Lose(ScriptedCall call, bool isStuck = false)
    {
        _pending.Remove(call);
        call.Lost = new(HidesBackends ? null : $"backend {++_backends}", StatementTimeout);
        _lost.Add((call, isStuck && !HidesBackends ? TimeSpan.MaxValue : Now + StatementTimeout));
        call.Fail(new SessionBrokenException(call.Lost, new ScriptedFault(FaultKind.ConnectionLost)));
    }

    /// <summary>Ends a statement whose connection broke.</summary>
    internal void EndLost(ScriptedCall call) => _lost.RemoveAll(lost => lost.Call == call);

    internal void ForgetCalls() => _calls.Clear();

    internal IEnumerable<ScriptedCall> Of(CallKind kind) => _calls.Where(call => call.Kind == kind);

    private static async Task<T> EndsWith<T>(ScriptedCall call, Func<T> result)
    {
        await call.Task.ConfigureAwait(false);
        return result();
    }

    // A new connection leads to the server to which the address leads at that time.
    private void OnceConnected(ScriptedCall call, Action<ScriptedJournal> steps)
    {
        if (Servers is not { } servers)
        {
            steps(Journal);
            return;
        }
        call.Then(() => steps((call.Server ??= servers.Open(isProbe: call.Kind == CallKind.Probe)).Journal));
    }

    // A standby shows what it has replayed.
    private bool Knows(ScriptedCall call) => KnowsOpenTransactions || (call.Server is { } server && server == Servers!.Standby);

    private ScriptedCall Begin(ScriptedCall call)
    {
        Assert.False(IsDisposed, "A statement after disposal.");
        CallCount++;
        call.Server = Servers?.Idle(isProbe: call.Kind == CallKind.Probe);
        _pending.Add(call);
        if (KeepsCalls)
            _calls.Add(call);
        Began?.Invoke(call);
        return call;
    }
}
