using CrushTest.Settings;

namespace CrushTest.Databases;

/// <summary>Fills the journal, unless it is there from an earlier run.</summary>
internal sealed class Seeding(CrushSettings settings, CrushJournal journal)
{
    private const int EventsPerTransaction = 20_000;

    private long _seeded;

    /// <summary>Events that are there.</summary>
    internal long Seeded => Interlocked.Read(ref _seeded);

    /// <returns>Whether there was anything to do.</returns>
    internal async Task<bool> RunAsync(string[] ids, CancellationToken cancellation)
    {
        if (await IsThereAsync(cancellation))
        {
            _seeded = settings.AllEvents;
            return false;
        }
        await journal.DropAsync(cancellation);
        await using var appender = journal.OpenAppender();
        await appender.CreateAsync(cancellation);
        foreach (var some in CrushEvents.All(settings.Payload, ids, settings.Events).Chunk(EventsPerTransaction))
        {
            await appender.AppendAsync(some, cancellation);
            Interlocked.Add(ref _seeded, some.Length);
        }
        await journal.SettleAsync(cancellation);
        return true;
    }

    private async Task<bool> IsThereAsync(CancellationToken cancellation)
    {
        var size = await journal.SizeAsync(cancellation);
        if (size is null)
            return false;
        // What an interrupted run appended to time its delivery.
        if (size.LastSequenceNumber > settings.Events)
        {
            await journal.DeletePastAsync(settings.Events, cancellation);
            size = await journal.SizeAsync(cancellation);
        }
        return size!.Events == settings.AllEvents && size.LastSequenceNumber == settings.Events;
    }
}
