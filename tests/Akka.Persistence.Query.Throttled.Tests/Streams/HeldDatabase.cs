using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>A database whose page statements run as long as the test holds them, unless they are cancelled, or fail as the test wants.</summary>
internal sealed class HeldDatabase(IJournalDatabase inner) : IJournalDatabase
{
    private volatile TaskCompletionSource _letGo = new();
    private int _running;
    private int _most;
    private int _begun;
    private int _cancelled;

    public string System => inner.System;

    public bool ReusesOrderings => inner.ReusesOrderings;

    public bool HasSchemas => inner.HasSchemas;

    /// <summary>What the next page statements fail with; null for nothing.</summary>
    internal Exception? Fault { get; set; }

    /// <summary>Page statements that have not ended.</summary>
    internal int Running => Volatile.Read(ref _running);

    /// <summary>As many ran at once.</summary>
    internal int MostRunning => Volatile.Read(ref _most);

    /// <summary>Page statements that ever began.</summary>
    internal int Begun => Volatile.Read(ref _begun);

    /// <summary>Page statements that were cancelled while they were held.</summary>
    internal int Cancelled => Volatile.Read(ref _cancelled);

    internal bool IsDisposed { get; private set; }

    internal void Hold() => _letGo = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal void LetGo() => _letGo.TrySetResult();

    public Task<ProbeResult> ProbeAsync(CancellationToken cancellation) => inner.ProbeAsync(cancellation);

    public void Accept(ProbeResult result) => inner.Accept(result);

    public Task ReadPagesAsync(ByIdRows rows, CancellationToken cancellation) =>
        HeldAsync(() => inner.ReadPagesAsync(rows, cancellation), cancellation);

    public Task ReadOrderedAsync(OrderedRows rows, CancellationToken cancellation) =>
        HeldAsync(() => inner.ReadOrderedAsync(rows, cancellation), cancellation);

    public Task ReadFromEndAsync(FromEndRows rows, CancellationToken cancellation) =>
        HeldAsync(() => inner.ReadFromEndAsync(rows, cancellation), cancellation);

    public Task ReadIdsAsync(IdsRows rows, CancellationToken cancellation) =>
        HeldAsync(() => inner.ReadIdsAsync(rows, cancellation), cancellation);

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

    private async Task HeldAsync(Func<Task> read, CancellationToken cancellation)
    {
        Assert.False(IsDisposed, "A statement after disposal.");
        Interlocked.Increment(ref _begun);
        InterlockedMax(Interlocked.Increment(ref _running));
        try
        {
            await _letGo.Task.WaitAsync(cancellation).ConfigureAwait(false);
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
