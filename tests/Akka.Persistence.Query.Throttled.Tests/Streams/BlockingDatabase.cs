using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>A database whose page statements the test can block or fail. A blocked statement can be cancelled.</summary>
internal sealed class BlockingDatabase(IJournalDatabase inner) : IJournalDatabase
{
    private volatile TaskCompletionSource _unblocked = new();
    private int _running;
    private int _most;
    private int _begun;
    private int _cancelled;

    public string System => inner.System;

    public bool ReusesOrderings => inner.ReusesOrderings;

    public bool HasSchemas => inner.HasSchemas;

    /// <summary>The error of the next page statements; null for none.</summary>
    internal Exception? Fault { get; set; }

    /// <summary>The number of page statements that have not ended.</summary>
    internal int Running => Volatile.Read(ref _running);

    /// <summary>The highest number of statements at once.</summary>
    internal int MostRunning => Volatile.Read(ref _most);

    /// <summary>The number of page statements so far.</summary>
    internal int Begun => Volatile.Read(ref _begun);

    /// <summary>The number of page statements that were cancelled while they were blocked.</summary>
    internal int Cancelled => Volatile.Read(ref _cancelled);

    internal bool IsDisposed { get; private set; }

    internal void Block() => _unblocked = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal void Unblock() => _unblocked.TrySetResult();

    public Task<ProbeResult> ProbeAsync(CancellationToken cancellation) => inner.ProbeAsync(cancellation);

    public void Accept(ProbeResult result) => inner.Accept(result);

    public Task ReadPagesAsync(ByIdRows rows, CancellationToken cancellation) =>
        RunBlockedAsync(() => inner.ReadPagesAsync(rows, cancellation), cancellation);

    public Task ReadOrderedAsync(OrderedRows rows, CancellationToken cancellation) =>
        RunBlockedAsync(() => inner.ReadOrderedAsync(rows, cancellation), cancellation);

    public Task ReadFromEndAsync(FromEndRows rows, CancellationToken cancellation) =>
        RunBlockedAsync(() => inner.ReadFromEndAsync(rows, cancellation), cancellation);

    public Task ReadIdsAsync(IdsRows rows, CancellationToken cancellation) =>
        RunBlockedAsync(() => inner.ReadIdsAsync(rows, cancellation), cancellation);

    public Task<TailStart> ReadStartAsync(CancellationToken cancellation) => inner.ReadStartAsync(cancellation);

    public Task<KeysResult> ReadKeysAsync(KeysRequest request, CancellationToken cancellation) => inner.ReadKeysAsync(request, cancellation);

    public Task ReadRowsAsync(TailRows wanted, CancellationToken cancellation) => inner.ReadRowsAsync(wanted, cancellation);

    public Task ReadTagHorizonAsync(long settled, CancellationToken cancellation) => inner.ReadTagHorizonAsync(settled, cancellation);

    public Task<string?> DescribeOldestAsync(IReadOnlySet<string> openTransactions, CancellationToken cancellation) =>
        inner.DescribeOldestAsync(openTransactions, cancellation);

    public void ForgetTagHorizon() => inner.ForgetTagHorizon();

    public Task<IReadOnlyList<BrokenSession>> StillRunningAsync(IReadOnlyList<BrokenSession> lost, CancellationToken cancellation) =>
        inner.StillRunningAsync(lost, cancellation);

    public FaultKind Classify(Exception error) => ReferenceEquals(error, Fault) ? FaultKind.Fatal : inner.Classify(error);

    public string ReasonOf(Exception error) => inner.ReasonOf(error);

    public Task ListenAsync(Action wake, CancellationToken cancellation) => inner.ListenAsync(wake, cancellation);

    public ValueTask DisposeAsync()
    {
        Assert.Equal(0, Running);
        IsDisposed = true;
        return inner.DisposeAsync();
    }

    private async Task RunBlockedAsync(Func<Task> read, CancellationToken cancellation)
    {
        Assert.False(IsDisposed, "A statement after disposal.");
        Interlocked.Increment(ref _begun);
        InterlockedMax(Interlocked.Increment(ref _running));
        try
        {
            await _unblocked.Task.WaitAsync(cancellation).ConfigureAwait(false);
            if (Fault is { } fault)
                throw fault;
            await read().ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            Interlocked.Increment(ref _cancelled);
            throw;
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    private void InterlockedMax(int running)
    {
        for (var most = MostRunning; running > most; most = MostRunning)
            Interlocked.CompareExchange(ref _most, running, most);
    }
}
