using Throttled.Journal.Diagnostics;
using Throttled.Journal.Faults;
using Throttled.Journal.Loop;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Tail;

/// <summary>Runs the tail's statements, one at a time, and decides what follows when one fails. On the loop.</summary>
internal sealed class TailRuns(JournalContext context, TailParts parts, TailPace pace)
{
    private int _failures;
    private int _epoch;
    private TimeSpan? _fatalSince;
    private string? _server;

    /// <summary>Whether a statement runs, or may still be running where nobody hears of it.</summary>
    internal bool IsBusy { get; private set; }

    /// <summary>Whether anybody still wants to know; read before there is another poll.</summary>
    internal required Func<int> Followers { get; init; }

    /// <summary>Called when the tail cannot go on.</summary>
    internal required Action<Func<Exception>> GaveUp { get; init; }

    /// <summary>Whether the journal has been away since the last statement was requested: it may have answered from another server than the one before.</summary>
    internal bool IsBetweenServers => !parts.Outage.IsUp || parts.Outage.Epoch != _epoch;

    /// <summary>Whether another server answers now than when the last statement was requested.</summary>
    internal bool HasMoved => parts.Outage.Server != _server;

    /// <summary>Runs a statement.</summary>
    /// <param name="kind">What it is, for the metrics.</param>
    /// <param name="statement">Starts it; called beside the loop.</param>
    /// <param name="ended">Called on the loop with what failed, or null.</param>
    internal void Run(string kind, Func<IJournalDatabase, CancellationToken, Task> statement, Action<Exception?> ended)
    {
        IsBusy = true;
        (_epoch, _server) = (parts.Outage.Epoch, parts.Outage.Server);
        parts.Reserved.Run(kind, statement, error =>
        {
            IsBusy = false;
            if (error is null)
                parts.Outage.Worked();
            ended(error);
        });
    }

    /// <summary>A poll succeeded.</summary>
    internal void Succeeded()
    {
        _failures = 0;
        if (_fatalSince is { } since)
            context.Log.Back((context.Loop.Now - since).TotalSeconds);
        _fatalSince = null;
    }

    /// <summary>A statement failed: the next poll comes later, or when the journal can be read again.</summary>
    internal void Failed(Exception error)
    {
        if (error is StatementLostException lost)
            WaitFor(lost.Statement);
        var kind = context.Database.Classify(error);
        if (kind == FaultKind.Fatal)
            FailedFatally(error);
        else if (kind is FaultKind.Transient or FaultKind.TimedOut or FaultKind.Unreadable)
            Later(error);
        else
        {
            parts.Outage.Report(kind, error);
            parts.Outage.Need();
        }
    }

    // Such errors pass where a failover does, and stop the queries that follow meanwhile, whether or not a probe would meet them too.
    private void FailedFatally(Exception error)
    {
        if (_fatalSince is null && parts.Outage.HasWorked)
            context.Log.Away(context.From, context.ClauseOf(error), ", until 'FatalErrorGracePeriod' has passed", error);
        if (!HasLasted())
        {
            Later(error);
            return;
        }
        context.Log.Hopeless(context.From, context.ClauseOf(error), error);
        GaveUp(() => context.Failure($"The journal cannot be followed: the poll for new events failed: {context.ReasonOf(error)}", error));
    }

    private void Later(Exception error)
    {
        context.Metrics.Retried();
        var pause = BackOff.Delay(_failures++, context.Random.NextDouble());
        context.Log.Retried(Followers(), pause.TotalMilliseconds, error);
        if (_failures % BackOff.Many == 0 && _fatalSince is null)
            context.Log.StillFailing(Followers(), _failures, context.ClauseOf(error), error);
        if (Followers() > 0)
            pace.After(pause);
    }

    private bool HasLasted()
    {
        _fatalSince ??= context.Loop.Now;
        return !parts.Outage.HasWorked || context.Loop.Now - _fatalSince >= context.Options.FatalGrace;
    }

    // The tail has one permit; while the server may still be running the last statement, there is no next one.
    private void WaitFor(LostStatement statement)
    {
        IsBusy = true;
        parts.Lost.Add(statement, () =>
        {
            IsBusy = false;
            if (Followers() > 0)
                pace.After(TimeSpan.Zero);
        });
    }
}
