namespace Throttled.Projections.Tests.Lanes;

/// <summary>Writes the effect of each event into the transaction; an effect that exists already is a breach.</summary>
internal sealed class ScriptedBatchHandler(ScriptedLaneStore store, Poison poison) : BatchHandler
{
    /// <summary>Called with each batch.</summary>
    internal Func<ProjectionBatch, CancellationToken, Task> Entered { get; set; } = (_, _) => Task.CompletedTask;

    public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        await Entered(batch, cancellationToken);
        var transaction = ScriptedLaneTransaction.Of(batch.Transaction);
        foreach (var each in batch)
        {
            if (poison.Handle(each.Ordering))
                transaction.IsAborted = true;
            // A primary key would refuse it too.
            if (store.Locked(() => store.Effected.Contains(each.Ordering)))
            {
                store.Breaches.Enqueue($"{each} was handled again");
                throw new InvalidOperationException("twice");
            }
            transaction.Effects.Add(each.Stored);
        }
    }
}

/// <summary>Has its effects at once, without a transaction.</summary>
internal sealed class ScriptedAtLeastOnceHandler(ScriptedLaneStore store, Poison poison) : AtLeastOnceHandler
{
    internal Action<JournalEvent> Handled { get; set; } = _ => { };

    public override Task HandleAsync(ProjectionEvent @event, string version, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        poison.Handle(@event.Ordering);
        store.Locked(() =>
        {
            store.Effects.Add(@event.Stored);
            Handled(@event.Stored);
            return store.Effected.Add(@event.Ordering);
        });
        return Task.CompletedTask;
    }
}
