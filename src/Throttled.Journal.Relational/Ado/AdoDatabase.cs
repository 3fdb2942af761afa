using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Relational;

/// <summary>Runs the engine's statements on a server. Each statement is one transaction.</summary>
internal abstract class AdoDatabase<TSession> : IJournalDatabase
    where TSession : class, IAdoSession
{
    public abstract string System { get; }

    public abstract string? Address { get; }

    // A sequence or an identity never goes back without a command of a user.
    public bool ReusesOrderings => false;

    public virtual bool HasTriedEvidence => true;

    protected abstract AdoSessions<TSession> Sessions { get; }

    protected abstract AdoStatements Statements { get; }

    public Task<ProbeResult> ProbeAsync(CancellationToken cancellation) => Sessions.ProbeAsync(session => ProbeAsync(session, cancellation), cancellation);

    public virtual void Accept(ProbeResult result)
    {
    }

    public Task ReadPagesAsync(ByIdRows rows, CancellationToken cancellation) =>
        RunAsync(session => Statements.Scans.ReadPagesAsync(session, rows, cancellation), cancellation);

    public Task ReadOrderedAsync(OrderedRows rows, CancellationToken cancellation) =>
        RunAsync(session => Statements.Scans.ReadOrderedAsync(session, rows, cancellation), cancellation);

    public Task ReadFromEndAsync(FromEndRows rows, CancellationToken cancellation) =>
        RunAsync(session => Statements.Scans.ReadFromEndAsync(session, rows, cancellation), cancellation);

    public Task ReadIdsAsync(IdsRows rows, CancellationToken cancellation) =>
        RunAsync(session => Statements.Scans.ReadIdsAsync(session, rows, cancellation), cancellation);

    public Task<TailStart> ReadStartAsync(CancellationToken cancellation) =>
        Sessions.RunAsync(session => Statements.Poll.ReadStartAsync(session, cancellation), cancellation);

    public Task<KeysResult> ReadKeysAsync(KeysRequest request, CancellationToken cancellation) =>
        Sessions.RunAsync(session => Statements.Poll.ReadKeysAsync(session, request, cancellation), cancellation);

    public Task ReadRowsAsync(TailRows wanted, CancellationToken cancellation) =>
        RunAsync(session => Statements.Poll.ReadRowsAsync(session, wanted, cancellation), cancellation);

    public void ForgetTagHorizon() => Statements.Context.Tags.ForgetHorizon();

    public Task ReadTagHorizonAsync(long settled, CancellationToken cancellation) => Statements.Context.IsCsv
        ? Task.CompletedTask
        : RunAsync(session => Statements.Context.Tags.ReadHorizonAsync(session, settled, cancellation), cancellation);

    public Task<string?> DescribeOldestAsync(IReadOnlySet<string> openTransactions, CancellationToken cancellation) =>
        Sessions.RunAsync(session => DescribeOldestAsync(session, openTransactions, cancellation), cancellation);

    public Task<IReadOnlyList<BrokenSession>> StillRunningAsync(IReadOnlyList<BrokenSession> broken, CancellationToken cancellation) =>
        Sessions.RunAsync(session => StillRunningAsync(session, broken, cancellation), cancellation);

    public abstract FaultKind Classify(Exception error);

    public abstract string ReasonOf(Exception error);

    public abstract Task ListenAsync(Action wake, CancellationToken cancellation);

    public ValueTask DisposeAsync() => Sessions.DisposeAsync();

    protected virtual Task<ProbeResult> ProbeAsync(TSession session, CancellationToken cancellation) => Statements.Probe.RunAsync(session, cancellation);

    protected abstract Task<string?> DescribeOldestAsync(TSession session, IReadOnlySet<string> openTransactions, CancellationToken cancellation);

    protected abstract Task<IReadOnlyList<BrokenSession>> StillRunningAsync(
        TSession session, IReadOnlyList<BrokenSession> broken, CancellationToken cancellation);

    private Task RunAsync(Func<TSession, Task> work, CancellationToken cancellation) => Sessions.RunAsync(
        async session =>
        {
            await work(session).ConfigureAwait(false);
            return true;
        },
        cancellation);
}
