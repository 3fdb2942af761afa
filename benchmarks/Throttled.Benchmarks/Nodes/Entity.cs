using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Akka.Actor;

namespace Throttled.Benchmarks.Nodes;

/// <summary>A sharded actor that gets the events of one persistence id, in order, and counts them.</summary>
[SuppressMessage("Design", "CA1001", Justification = "An actor disposes what it owns in PostStop.")]
internal sealed class Entity : ReceiveActor
{
    private readonly CancellationTokenSource _stop = new();
    private long _last;

    /// <param name="id">The persistence id.</param>
    /// <param name="reader">The journal of the entity's node.</param>
    /// <param name="arrivals">Counts the events of all entities.</param>
    public Entity(string id, JournalReader reader, ArrivedEvents arrivals)
    {
        Receive<EntityEvent>(each =>
        {
            // The feed delivers at least once.
            if (each.Number == _last + 1)
            {
                _last = each.Number;
                arrivals.Add();
            }
            else if (each.Number > _last)
            {
                arrivals.Fail($"{id} got {each.Number} after {_last}.");
            }
            Sender.Tell(true);
        });
        Receive<Wake>(_ => Sender.Tell(true));
        Receive<ReadByYourself>(request =>
        {
            _ = ReadAsync(reader.EventsByPersistenceId(request.Id), Self, arrivals);
            Sender.Tell(true);
        });
    }

    protected override void PostStop()
    {
        _stop.Cancel();
        _stop.Dispose();
    }

    private async Task ReadAsync(IAsyncEnumerable<JournalEvent> events, IActorRef self, ArrivedEvents arrivals)
    {
        try
        {
            await foreach (var each in events.WithCancellation(_stop.Token))
                self.Tell(new EntityEvent(each.PersistenceId, each.SequenceNumber), ActorRefs.NoSender);
        }
        catch (Exception error) when (error is OperationCanceledException or ObjectDisposedException)
        {
            // The node ends.
        }
        catch (Exception error)
        {
            arrivals.Fail(error.Message);
        }
    }
}

/// <summary>Counts the events that arrived at the entities of all nodes. Thread-safe.</summary>
internal sealed class ArrivedEvents
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(10);

    private long _count;
    private volatile string? _failure;

    internal void Add() => Interlocked.Increment(ref _count);

    internal void Fail(string failure) => _failure = failure;

    /// <summary>Waits until the given number of events has arrived.</summary>
    internal async Task UntilAsync(long count)
    {
        for (var watch = Stopwatch.StartNew(); Interlocked.Read(ref _count) < count;)
        {
            if (_failure is not null || watch.Elapsed > Patience)
                throw new InvalidOperationException(_failure ?? $"{Interlocked.Read(ref _count):N0} of {count:N0} events have arrived.");
            await Task.Delay(5);
        }
        if (Interlocked.Read(ref _count) > count)
            throw new InvalidOperationException("More events arrived than were written.");
    }
}
