using Throttled.Faults.Projections.Bank;
using Throttled.Projections;

namespace Throttled.Faults.Nodes;

/// <summary>
/// The bank's handler on a node. On request, it keeps each of its batches open before the commit. The server then shows the session under a name that
/// the transaction sets and its end takes back, so the server itself tells whether a batch is open.
/// </summary>
internal sealed class NodeHandler(NodeWork work) : BatchHandler
{
    // Shorter than the server's limit for idle transactions. A longer one would be ended there, and the lane would wait in a transaction that is gone.
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(3);

    private readonly BankHandler _bank = new(work.Bank, static (_, _) => Task.CompletedTask);
    private volatile TaskCompletionSource? _kept;

    /// <summary>Keeps batches open from now on, each until <see cref="Release"/> or for some seconds.</summary>
    internal void Keep() => _kept = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Commits the open batches, and keeps no further ones open.</summary>
    internal void Release() => _kept?.TrySetResult();

    public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        await _bank.HandleAsync(batch, cancellationToken);
        if (_kept is not { Task.IsCompleted: false } kept)
            return;
        await batch.ExecuteAsync($"SET LOCAL application_name = '{NodeTables.OpenBatchOf(work.Address)}'", cancellationToken);
        await kept.Task.WaitAsync(Longest, TimeProvider.System, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        cancellationToken.ThrowIfCancellationRequested();
    }

    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => _bank.PrepareAsync(scope, cancellationToken);

    public override Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) => _bank.SwapAsync(from, to, cancellationToken);
}
