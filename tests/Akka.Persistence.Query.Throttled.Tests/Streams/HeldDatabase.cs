using Throttled.Journal.Sql;

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

    public Task<ServerFacts> ProbeAsync(CancellationToken cancellation) => inner.ProbeAsync(cancellation);

    public void Accept(ServerFacts facts) => inner.Accept(facts);

    public Task ReadPagesAsync(PageStatement statement, CancellationToken cancellation) =>
        HeldAsync(() => inner.ReadPagesAsync(statement, cancellation), cancellation);

    public Task ReadOrderedAsync(OrderedStatement statement, CancellationToken cancellation) =>
        HeldAsync(() => inner.ReadOrderedAsync(statement, cancellation), cancellation);

    public Task ReadFromEndAsync(FromEndStatement statement, CancellationToken cancellation) =>
        HeldAsync(() => inner.ReadFromEndAsync(statement, cancellation), cancellation);

    public Task ReadIdsAsync(IdsStatement statement, CancellationToken cancellation) =>
        HeldAsync(() => inner.ReadIdsAsync(statement, cancellation), cancellation);

    public Task<TailAnchor> ReadAnchorAsync(CancellationToken cancellation) => inner.ReadAnchorAsync(cancellation);

    public Task<KeysFound> ReadKeysAsync(KeysQuery query, CancellationToken cancellation) => inner.ReadKeysAsync(query, cancellation);

    public Task ReadRowsAsync(RowsStatement statement, CancellationToken cancellation) => inner.ReadRowsAsync(statement, cancellation);

    public Task ReadTagHorizonAsync(long settled, CancellationToken cancellation) => inner.ReadTagHorizonAsync(settled, cancellation);

    public Task<string?> DescribeOldestAsync(IReadOnlySet<string> holders, CancellationToken cancellation) =>
        inner.DescribeOldestAsync(holders, cancellation);

    public void ForgetTagHorizon() => inner.ForgetTagHorizon();

    public Task<IReadOnlyList<LostStatement>> StillRunningAsync(IReadOnlyList<LostStatement> lost, CancellationToken cancellation) =>
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
