using Akka;
using Akka.Actor;
using Akka.Hosting;
using Akka.Persistence.Query;
using Akka.Persistence.Query.Throttled;
using Akka.Streams;
using Akka.Streams.Dsl;

/// <summary>
/// Ships placed orders, with a live stream that goes on after a restart. The offset is stored after the work. So after a crash
/// in between, an order comes again, which is harmless.
/// </summary>
internal sealed class Warehouse(ActorSystem system, IRequiredActor<Orders> orders, ShopDatabase database) : BackgroundService
{
    protected override Task ExecuteAsync(CancellationToken stoppingToken)
    {
        var journal = system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);
        // A database that is down does not end the stream. After any other failure, such as a changed password or an order that
        // does not answer, the stream starts again.
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
        await orders.ActorRef.Ask<Done>(new ToOrder(envelope.PersistenceId["order-".Length..], new Ship()), TimeSpan.FromSeconds(10));
        await database.StoreAsync("warehouse", envelope.Offset);
        return envelope.Offset;
    }
}
