namespace Throttled.Projections;

/// <summary>
/// Handles one event at a time, outside any transaction: each event at least once. After a crash, or if two processes overlap, the events since the
/// last stored offset come again.
/// </summary>
public abstract class AtLeastOnceHandler : ProjectionHandler
{
    /// <summary>
    /// Handles one event. If it throws, the event is tried again; after the last attempt <see cref="ProjectionOptions.OnFailure"/> decides.
    /// </summary>
    /// <param name="event">The event.</param>
    /// <param name="version">The read model: the projection's name, or the name that a rebuild was given.</param>
    /// <param name="cancellationToken">Cancelled when a stop waits no longer: 5 s after the stop began, or when the token of
    /// <see cref="Projection.StopAsync"/> is cancelled, or at the host's shutdown time-out. The event comes again. The beginning of a stop and the
    /// loss of the lane do not cancel it.</param>
    public abstract Task HandleAsync(ProjectionEvent @event, string version, CancellationToken cancellationToken);
}
