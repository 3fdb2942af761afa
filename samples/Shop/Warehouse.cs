/// <summary>
/// Ships what was placed: a live stream that goes on after a restart where it was. The offset is stored behind the work, so that after a crash in between
/// an order comes again, which does no harm.
/// </summary>
internal sealed class Warehouse(ActorSystem system, IRequiredActor<Orders> orders, ShopDatabase database) : BackgroundService
{
    protected override Task ExecuteAsync(CancellationToken stoppingToken)
    {
        var journal = system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);
        // A database that is away ends no stream. What does, such as a password that was changed, is tried again; so is an order that does not answer.
        return RestartSource.WithBackoff(
                () => Source.FromTask(database.OffsetAsync("warehouse"))
                    .ConcatMany(offset => journal.EventsByTag(Tagger.Tag, offset))
                    .SelectAsync(1, ShipAsync),
                RestartSettings.Create(minBackoff: TimeSpan.FromSeconds(1), maxBackoff: TimeSpan.FromMinutes(1), randomFactor: 0.2))
            .RunWith(Sink.Ignore<Offset>(), system.Materializer())
            .WaitAsync(stoppingToken);
    }

    private async Task<Offset> ShipAsync(EventEnvelope envelope)
    {
        await orders.ActorRef.Ask<bool>(new ToOrder(envelope.PersistenceId["order-".Length..], new Ship()), TimeSpan.FromSeconds(10));
        await database.StoreAsync("warehouse", envelope.Offset);
        return envelope.Offset;
    }
}
