using Akka.Persistence;

namespace DigitalTwins.Devices;

/// <summary>The twin of a device. It keeps the last ten updates.</summary>
internal sealed class Device : ReceivePersistentActor
{
    private const int Kept = 10;

    private readonly Queue<Updated> _last = new(Kept);
    private long _updates;

    public Device(string id)
    {
        PersistenceId = id;
        Recover<Updated>(Apply);
        Command<Update>(update => Persist(new Updated(update.Payload), updated =>
        {
            Apply(updated);
            Sender.Tell(new Answer(_updates, []), Self);
        }));
        Command<Read>(_ => Sender.Tell(new Answer(_updates, _last.LastOrDefault()?.Payload ?? []), Self));
    }

    public override string PersistenceId { get; }

    private void Apply(Updated updated)
    {
        if (_last.Count == Kept)
            _last.Dequeue();
        _last.Enqueue(updated);
        _updates++;
    }
}
