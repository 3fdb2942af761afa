namespace Throttled.Projections.Tests.Lanes;

/// <summary>Writes the effect of each event into the transaction; an effect that exists already is a breach.</summary>
internal sealed class ScriptedBatchHandler(ScriptedLaneStore store, Poison poison) : BatchHandler
{
    /// <summary>Called with each batch.</summary>
    internal Func<ProjectionBatch, CancellationToken, Task> Entered { get; set; } = (_, _) => Task.CompletedTask;

    public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        await Entered(batch, cancellationToken);
        foreach (var each in batch)
            ScriptedEffect.Write(store, poison, each, batch);
    }
}

/// <summary>The same for one event at a time.</summary>
internal sealed class ScriptedTransactionalHandler(ScriptedLaneStore store, Poison poison) : TransactionalHandler
{
    public override Task HandleAsync(ProjectionEvent @event, ReadModelTransaction transaction, CancellationToken cancellationToken)
    {
        ScriptedEffect.Write(store, poison, @event, transaction);
        return Task.CompletedTask;
    }
}

internal static class ScriptedEffect
{
    internal static void Write(ScriptedLaneStore store, Poison poison, ProjectionEvent handled, ReadModelTransaction scope)
    {
        var transaction = ScriptedLaneTransaction.Of(scope.Transaction);
        if (poison.Handle(handled.Ordering))
            transaction.IsAborted = true;
        // A primary key would refuse it too.
        if (store.Locked(() => store.Effected.Contains(handled.Ordering)))
        {
            store.Breaches.Enqueue($"{handled} was handled again");
            throw new InvalidOperationException("twice");
        }
        transaction.Effects.Add(handled.Stored);
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
