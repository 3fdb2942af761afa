using Akka.Actor;
using Akka.Hosting;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster;

/// <summary>
/// Sends events to entities of Akka.Cluster.Sharding, each at least once. An entity replies to each message, with anything: that is its acknowledgement.
/// A reply of <see cref="Status.Failure"/> means that the event has failed. The offset is stored when the whole batch is acknowledged; after a crash, the
/// events since then come again.
/// </summary>
/// <typeparam name="TEntity">The key of the shard region in the actor registry.</typeparam>
/// <param name="region">The shard region, or its proxy.</param>
/// <param name="options">How events are sent.</param>
/// <exception cref="ArgumentException">An option is out of its range.</exception>
public sealed class EntityHandler<TEntity>(IRequiredActor<TEntity> region, EntityHandlerOptions<TEntity> options) : BatchHandler
{
    private readonly EntityHandlerOptions<TEntity> _options = Checked(options);

    /// <summary>Sends the events of a batch and waits for all acknowledgements.</summary>
    /// <param name="batch">The events.</param>
    /// <param name="cancellationToken">Stops the wait; the events come again.</param>
    /// <exception cref="EventFailedException">An entity has not acknowledged an event in time, or replied with a failure.</exception>
    public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(batch);
        var target = await region.GetAsync(cancellationToken).ConfigureAwait(false);
        using var room = new SemaphoreSlim(_options.MaxUnacknowledged);
        using var failed = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var sent = batch.GroupBy(each => _options.OrderedBy(each), StringComparer.Ordinal).Select(key => SendAsync(target, [.. key], room, failed)).ToList();
        await Task.WhenAll(sent).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        cancellationToken.ThrowIfCancellationRequested();
        // The first that failed, not one that was cancelled because of it.
        if (sent.Find(each => each.IsFaulted) is { } failure)
            await failure.ConfigureAwait(false);
        // The entities have the events: nothing is written here but the offset.
        _ = batch.Transaction;
    }

    private async Task SendAsync(IActorRef target, ProjectionEvent[] events, SemaphoreSlim room, CancellationTokenSource failed)
    {
        foreach (var each in events)
        {
            if (_options.Message(each) is not { } message)
                continue;
            await room.WaitAsync(failed.Token).ConfigureAwait(false);
            try
            {
                await target.Ask<object>(message, _options.AckTimeout, failed.Token).ConfigureAwait(false);
            }
            catch (Exception error) when (!failed.IsCancellationRequested)
            {
                await failed.CancelAsync().ConfigureAwait(false);
                throw new EventFailedException(each.Ordering, error);
            }
            finally
            {
                room.Release();
            }
        }
    }

    private static EntityHandlerOptions<TEntity> Checked(EntityHandlerOptions<TEntity> options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        return options;
    }
}
