namespace Throttled.Projections;

/// <summary>
/// Handles one event at a time, outside any transaction: each event at least once. After a crash, or when two processes overlap, those since the
/// offset that was stored last come again.
/// </summary>
public abstract class AtLeastOnceHandler : ProjectionHandler
{
    /// <summary>Handles one event. Where it throws, the event is tried again; then <see cref="ProjectionOptions.OnFailure"/> decides.</summary>
    /// <param name="event">The event.</param>
    /// <param name="version">The read model: the projection's name, or the name that a rebuild was given.</param>
    /// <param name="cancellationToken">
    /// Cancelled where a stop waits no longer: 5 s after it began, or when the token of <see cref="Projection.StopAsync"/> is cancelled or the host's
    /// shutdown time-out is over. The event comes again. Neither the begin of a stop nor the loss of the lane cancels it.
    /// </param>
    public abstract Task HandleAsync(ProjectionEvent @event, string version, CancellationToken cancellationToken);
}
