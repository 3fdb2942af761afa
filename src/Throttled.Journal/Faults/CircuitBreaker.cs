using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Faults;

/// <summary>
/// The circuit breaker of a journal. While the journal cannot be read, only one probe at a time runs, and no other statement. Before the first probe,
/// the journal counts as unavailable. On the loop.
/// </summary>
internal sealed class CircuitBreaker : IDisposable
{
    private readonly JournalContext _context;
    private readonly ReservedPermit _reserved;
    private readonly MissingJournalWarning _missingJournal;
    private readonly LoopTimer _timer;
    private bool _probing;
    private int _attempt;
    private TimeSpan? _fatalSince;
    private bool _fatalLogged;

    internal CircuitBreaker(JournalContext context, ReservedPermit reserved)
    {
        _context = context;
        _reserved = reserved;
        _missingJournal = new(context);
        _timer = new(context.Loop, _ => Probe());
    }

    internal bool IsAvailable { get; private set; }

    /// <summary>How often the journal recovered. Failures of an earlier epoch are ignored, because they do not describe the current state.</summary>
    internal int Epoch { get; private set; }

    /// <summary>The server that answered last; null if the database does not report it.</summary>
    internal string? Server { get; private set; }

    /// <summary>Whether a statement of a query or of the tail ever succeeded. If so, a permanent error may be a failover in progress.</summary>
    internal bool HasSucceeded { get; private set; }

    /// <summary>When the journal became unreadable; null if it can be read or was not probed yet.</summary>
    internal TimeSpan? Since { get; private set; }

    internal Exception? LastError { get; private set; }

    internal BreakerState State =>
        IsAvailable ? BreakerState.Closed
        : Since is null ? BreakerState.Unknown
        : _probing ? BreakerState.HalfOpen : BreakerState.Open;

    /// <summary>Called with the probe's result when the journal can be read again.</summary>
    internal required Action<ProbeResult> Recovered { get; init; }

    /// <summary>Called to fail all waiting queries.</summary>
    internal required Action<Func<Exception>> Unrecoverable { get; init; }

    /// <summary>Whether to probe again after a failed probe, because a waiter does not call <see cref="RequestProbe"/> again itself.</summary>
    internal required Func<bool> IsProbeNeeded { get; init; }

    internal required Action NoConnectionLeft { get; init; }

    /// <summary>Schedules a probe if the journal is unavailable. Without requests, it is not probed.</summary>
    internal void RequestProbe()
    {
        if (!IsAvailable && !_probing && !_timer.IsSet)
            _timer.Set(_attempt == 0 ? TimeSpan.Zero : BackOff.Delay(_attempt - 1, _context.Random.NextDouble()));
    }

    /// <summary>Records that a statement of a query or of the tail succeeded.</summary>
    internal void RecordSuccess()
    {
        HasSucceeded = true;
        // A statement that started before the journal became unavailable does not show that it is available now.
        if (IsAvailable)
            _attempt = 0;
        _missingJournal.Reset();
    }

    /// <summary>Records a failure that affects all statements.</summary>
    internal void RecordFailure(FaultKind kind, Exception error)
    {
        // Many statements fail for the same reason; only the first one counts.
        if (IsAvailable)
            Trip(kind, error);
    }

    public void Dispose() => _timer.Dispose();

    private void Trip(FaultKind kind, Exception error)
    {
        if (kind == FaultKind.TooManyConnections)
            NoConnectionLeft();
        LastError = error;
        if (Since is null)
            Begin(kind, error);
        IsAvailable = false;
        _attempt++;
        if (kind == FaultKind.MissingTable)
            TableMissing(error);
    }

    private void Begin(FaultKind kind, Exception error)
    {
        Since = _context.Loop.Now;
        // A missing table has its own log message. A permanent error before the first success fails the queries at once, so nothing waits.
        if (kind == FaultKind.MissingTable || (kind == FaultKind.Fatal && !HasSucceeded))
            return;
        _context.Log.Unavailable(_context.From, _context.ClauseOf(error), kind == FaultKind.Fatal ? ", until 'FatalErrorGracePeriod' has passed" : "", error);
    }

    private void TableMissing(Exception error)
    {
        var missing = MissingJournal.Of(_context, error);
        if (_context.Options.RequireTable)
            Unrecoverable(() => _context.Failure($"{missing.What}. {missing.Remedy}, or leave 'RequireTable' off to wait for it.", error));
        else
            _missingJournal.Observe(missing, error);
    }

    // Called for probes only, because only a failed probe shows that all statements are affected. Before the first success, there is no grace period.
    private void Fatal(Exception error)
    {
        var now = _context.Loop.Now;
        _fatalSince ??= now;
        if (HasSucceeded && now - _fatalSince < _context.Options.FatalErrorGracePeriod)
            return;
        if (!_fatalLogged)
            _context.Log.Unrecoverable(_context.From, _context.ClauseOf(error), error);
        _fatalLogged = true;
        Unrecoverable(() => _context.Failure($"The journal cannot be read{_context.From}: {_context.ReasonOf(error)}", error));
    }

    private void Probe()
    {
        if (IsAvailable || _probing)
            return;
        _probing = true;
        ProbeResult? result = null;
        _reserved.Run(
            "probe",
            async (database, cancellation) => result = await database.ProbeAsync(cancellation).ConfigureAwait(false),
            error =>
            {
                _probing = false;
                if (error is null)
                    Succeeded(result!);
                else
                    Failed(error);
            });
    }

    private void Failed(Exception error)
    {
        var kind = _context.Database.Classify(error);
        Trip(kind, error);
        if (kind == FaultKind.Fatal)
            Fatal(error);
        else
            _fatalSince = null;
        if (IsProbeNeeded())
            RequestProbe();
    }

    private void Succeeded(ProbeResult result)
    {
        IsAvailable = true;
        Epoch++;
        _fatalSince = null;
        _fatalLogged = false;
        if (Since is { } since)
            _context.Log.Available((_context.Loop.Now - since).TotalSeconds);
        Since = null;
        Server = result.Server ?? Server;
        _context.Database.Accept(result);
        Recovered(result);
    }
}
