using System.Data.Common;
using CrushTest.Settings;

namespace CrushTest.Databases;

/// <summary>Fills the journal, unless an earlier run has done so.</summary>
internal sealed class Seeding(CrushSettings settings, CrushJournal journal)
{
    private const int EventsPerTransaction = 20_000;

    private long _seeded;

    /// <summary>Number of events in the journal so far.</summary>
    internal long Seeded => Interlocked.Read(ref _seeded);

    /// <returns>Whether it appended events.</returns>
    internal async Task<bool> RunAsync(string[] ids, CancellationToken cancellation)
    {
        await using var appender = journal.OpenAppender();
        await CreateAsync(appender, cancellation);
        if (await IsThereAsync(cancellation))
        {
            _seeded = settings.AllEvents;
            await journal.WarmAsync(cancellation);
            return false;
        }
        await journal.DropAsync(cancellation);
        await appender.CreateAsync(cancellation);
        var appending = Task.CompletedTask;
        foreach (var some in CrushEvents.All(settings.Payload, ids, settings.Events).Chunk(EventsPerTransaction))
        {
            // Create the next events while these are appended.
            await appending;
            appending = AppendAsync(appender, some, cancellation);
        }
        await appending;
        await journal.SettleAsync(cancellation);
        return true;
    }

    private async Task AppendAsync(JournalAppender appender, JournalEvent[] some, CancellationToken cancellation)
    {
        await appender.AppendAsync(some, cancellation);
        Interlocked.Add(ref _seeded, some.Length);
    }

    // The appender refuses databases of an earlier run that are now given in another order.
    private static async Task CreateAsync(JournalAppender appender, CancellationToken cancellation)
    {
        try
        {
            await appender.CreateAsync(cancellation);
        }
        catch (Exception error) when (error is not DbException and not OperationCanceledException)
        {
            throw new CrushException($"--connection: {error.Message}", error);
        }
    }

    private async Task<bool> IsThereAsync(CancellationToken cancellation)
    {
        var size = await journal.SizeAsync(cancellation);
        if (size is null)
            return false;
        // An interrupted run left the events that it appended to measure delivery.
        if (size.LastSequenceNumber > settings.Events)
        {
            await journal.DeletePastAsync(settings.Events, cancellation);
            size = await journal.SizeAsync(cancellation);
        }
        return size!.Events == settings.AllEvents && size.LastSequenceNumber == settings.Events;
    }
}
