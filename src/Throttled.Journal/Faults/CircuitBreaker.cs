using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Faults;

/// <summary>
/// The circuit breaker of a journal: whether it can be read. While it cannot, one probe at a time checks whether it is back, and nothing else runs.
/// A journal that was not probed yet counts as unavailable. On the loop.
/// </summary>
internal sealed class CircuitBreaker : IDisposable
{
    private readonly JournalContext _context;
    private readonly ReservedPermit _reserved;
    private readonly MissingJournalWarning _missingJournal;
    private readonly LoopTimer _timer;
    private bool _probing;
    private int _attempt;
    private TimeSpan? _since;
    private TimeSpan? _fatalSince;
    private bool _fatalLogged;

    internal CircuitBreaker(JournalContext context, ReservedPermit reserved)
    {
        _context = context;
        _reserved = reserved;
        _missingJournal = new(context);
        _timer = new(context.Loop, _ => Probe());
    }

    /// <summary>Whether statements may run.</summary>
    internal bool IsAvailable { get; private set; }

    /// <summary>How often it recovered: what was started before the last time says nothing about now.</summary>
    internal int Epoch { get; private set; }

    /// <summary>The server that answers; null where the database does not say.</summary>
    internal string? Server { get; private set; }

    /// <summary>Whether a statement of a query or of the tail ever succeeded: what fails now may be a failover passing through.</summary>
    internal bool HasSucceeded { get; private set; }

    /// <summary>Since when the journal cannot be read; null where it can, or was not probed yet.</summary>
    internal TimeSpan? Since => _since;

    /// <summary>What failed last; null where nothing did yet.</summary>
    internal Exception? LastError { get; private set; }

    /// <summary>Called when the journal can be read, with what the probe learned.</summary>
    internal required Action<ProbeResult> Recovered { get; init; }

    /// <summary>Called when the queries that wait are to fail.</summary>
    internal required Action<Func<Exception>> Unrecoverable { get; init; }

    /// <summary>Whether somebody waits for the journal who does not say so again after each probe.</summary>
    internal required Func<bool> IsProbeNeeded { get; init; }

    /// <summary>Called when the server has no connection left.</summary>
    internal required Action NoConnectionLeft { get; init; }

    /// <summary>Somebody waits for the journal: probes it. While nobody waits, it is not probed.</summary>
    internal void RequestProbe()
    {
        if (!IsAvailable && !_probing && !_timer.IsSet)
            _timer.Set(_attempt == 0 ? TimeSpan.Zero : BackOff.Delay(_attempt - 1, _context.Random.NextDouble()));
    }

    /// <summary>A statement of a query or of the tail succeeded.</summary>
    internal void RecordSuccess()
    {
        HasSucceeded = true;
        // One that was begun before the journal went away says nothing about now.
        if (IsAvailable)
            _attempt = 0;
        _missingJournal.Reset();
    }

    /// <summary>A statement failed in a way that concerns all others.</summary>
    /// <param name="kind">How.</param>
    /// <param name="error">What the driver said.</param>
    internal void RecordFailure(FaultKind kind, Exception error)
    {
        // Many statements fall over the same stone; the first has said it.
        if (IsAvailable)
            Trip(kind, error);
    }

    public void Dispose() => _timer.Dispose();

    private void Trip(FaultKind kind, Exception error)
    {
        if (kind == FaultKind.TooManyConnections)
            NoConnectionLeft();
        LastError = error;
        if (_since is null)
            Begin(kind, error);
        IsAvailable = false;
        _attempt++;
        if (kind == FaultKind.MissingTable)
            TableMissing(error);
    }

    private void Begin(FaultKind kind, Exception error)
    {
        _since = _context.Loop.Now;
        // A table is waited for in words of its own, and what fails the queries at once makes nobody wait.
        if (kind == FaultKind.MissingTable || (kind == FaultKind.Fatal && !HasSucceeded))
            return;
        _context.Log.Unavailable(_context.From, _context.ClauseOf(error), kind == FaultKind.Fatal ? ", until 'FatalErrorGracePeriod' has passed" : "", error);
    }

    private void TableMissing(Exception error)
    {
        var missing = MissingJournal.Of(_context, error);
        if (_context.Options.RequireTable)
            Unrecoverable(() => _context.Failure(
                $"{missing.What}. {missing.Remedy}, or leave 'RequireTable' off to wait for it.", error));
        else
            _missingJournal.Observe(missing, error);
    }

    // Only a probe says that it concerns all; before the first that succeeded there is nothing to wait for.
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
        if (_since is { } since)
            _context.Log.Available((_context.Loop.Now - since).TotalSeconds);
        _since = null;
        Server = result.Server ?? Server;
        _context.Database.Accept(result);
        Recovered(result);
    }
}
