using Throttled.Projections.Handlers;

namespace Throttled.Projections;

/// <summary>
/// Handles one event at a time, outside any transaction: each event at least once. After a crash, or if two processes overlap, the events since the
/// last stored offset come again. A receiver can drop repetitions by <see cref="ProjectionEvent.IdempotencyKey"/>.
/// </summary>
public abstract class AtLeastOnceHandler : ProjectionHandler, IDelivery
{
    /// <summary>
    /// Whether the projection may be rebuilt. False by default: a rebuild beside the live version would repeat all effects, for example send each mail
    /// again, so <see cref="ProjectionControl.RebuildAsync"/> is refused. Return true if each version has effects of its own, for example a search index
    /// with the version's name.
    /// </summary>
    public virtual bool RunsInRebuild => false;

    internal sealed override IDelivery Delivery => this;

    /// <summary>Handles one event. If it throws, the event is tried again; after the last attempt <see cref="ProjectionOptions.OnFailure"/> decides.</summary>
    /// <param name="event">The event.</param>
    /// <param name="version">The read model: the projection's name, or the name that a rebuild was given.</param>
    /// <param name="cancellationToken">Cancelled when a stop waits no longer: 5 s after the stop began, or when the token of
    /// <see cref="Projection.StopAsync"/> is cancelled, or at the host's shutdown time-out. The event comes again. The beginning of a stop and the
    /// loss of the lane do not cancel it.</param>
    public abstract Task HandleAsync(ProjectionEvent @event, string version, CancellationToken cancellationToken);

    Task<Deliver> IDelivery.BeginAsync(IReadOnlyList<ProjectionEvent> events, string version, CancellationToken cancellation) =>
        Task.FromResult<Deliver>((delivered, token) => HandleAsync(delivered, version, token));

    internal sealed override Task<IReadOnlyList<ProjectionEvent>> WriteEffectsAsync(ProjectionBatch batch, CancellationToken cancellation) => IDelivery.Nothing;
}

/// <summary>
/// Handles one event at a time as <see cref="AtLeastOnceHandler"/> does, with look-ups that were made for many events at once.
/// </summary>
/// <typeparam name="TLookups">The results of the look-ups, for example a dictionary of addresses.</typeparam>
public abstract class AtLeastOnceHandler<TLookups> : ProjectionHandler, IDelivery
{
    /// <inheritdoc cref="AtLeastOnceHandler.RunsInRebuild"/>
    public virtual bool RunsInRebuild => false;

    internal sealed override IDelivery Delivery => this;

    /// <summary>
    /// Looks up what the events need. Called before their first delivery, and again for each smaller part of the batch after a failure. If it throws,
    /// the batch is tried in halves, as if an unknown event of it had failed.
    /// </summary>
    /// <param name="events">The events that are about to be delivered, in their order; at least 1, at most <see cref="ProjectionOptions.BatchSize"/>.</param>
    /// <param name="version">As in <see cref="HandleAsync"/>.</param>
    /// <param name="cancellationToken">As in <see cref="HandleAsync"/>.</param>
    public abstract Task<TLookups> EnrichAsync(IReadOnlyList<ProjectionEvent> events, string version, CancellationToken cancellationToken);

    /// <summary>Handles one event. If it throws, the event is tried again; after the last attempt <see cref="ProjectionOptions.OnFailure"/> decides.</summary>
    /// <param name="event">The event.</param>
    /// <param name="lookups">What <see cref="EnrichAsync"/> returned.</param>
    /// <param name="version">The read model: the projection's name, or the name that a rebuild was given.</param>
    /// <param name="cancellationToken">As in <see cref="AtLeastOnceHandler.HandleAsync"/>.</param>
    public abstract Task HandleAsync(ProjectionEvent @event, TLookups lookups, string version, CancellationToken cancellationToken);

    async Task<Deliver> IDelivery.BeginAsync(IReadOnlyList<ProjectionEvent> events, string version, CancellationToken cancellation)
    {
        var lookups = await EnrichAsync(events, version, cancellation).ConfigureAwait(false);
        return (delivered, token) => HandleAsync(delivered, lookups, version, token);
    }

    internal sealed override Task<IReadOnlyList<ProjectionEvent>> WriteEffectsAsync(ProjectionBatch batch, CancellationToken cancellation) => IDelivery.Nothing;
}
