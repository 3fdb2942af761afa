namespace Throttled.Projections;

/// <summary>
/// What a projection does with events; derive from <see cref="BatchHandler"/> or <see cref="SingleHandler"/>. One instance serves all
/// lanes, at once.
/// </summary>
public abstract class ProjectionHandler
{
    private protected ProjectionHandler()
    {
    }

    /// <summary>
    /// Brings a read model to its state before the first event: makes its tables where they are not there, and empties them where they are.
    /// Called when a version is new, and when it is reset to the start. Does nothing by default.
    /// </summary>
    /// <param name="scope">Which read model, whether it is the live one, and the transaction in which its offsets are set to the start.</param>
    /// <param name="cancellationToken">Cancelled when the projection stops.</param>
    public virtual Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// A rebuilt read model takes the place of the one that was live: turns readers to it, for example by a view or by renaming. Does nothing by
    /// default.
    /// </summary>
    /// <param name="from">The version that was live.</param>
    /// <param name="to">The version that is live from now on, and the transaction in which it becomes so.</param>
    /// <param name="cancellationToken">Cancelled when the projection stops.</param>
    public virtual Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Removes a read model that is not live: a retired one, or a rebuild that was given up. Does nothing by default.</summary>
    /// <param name="scope">Which read model, and the transaction in which its offsets are removed.</param>
    /// <param name="cancellationToken">Cancelled when the projection stops.</param>
    public virtual Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) => Task.CompletedTask;
}
