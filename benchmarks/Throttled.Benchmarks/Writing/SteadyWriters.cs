using System.Diagnostics;
using Throttled.Journal;

namespace Throttled.Benchmarks.Writing;

/// <summary>Writes events at a steady pace, each in a transaction of its own.</summary>
/// <param name="journal">Where to. All events of a persistence id go through the same writer.</param>
internal sealed class SteadyWriters(OwnJournal journal) : IAsyncDisposable
{
    private readonly JournalAppender[] _appenders = [.. Enumerable.Range(0, journal.Writers).Select(_ => journal.OpenAppender())];

    /// <param name="events">What to write, in this order.</param>
    /// <param name="perSecond">How many a second; writers that cannot keep up go on as fast as they can.</param>
    /// <param name="committed">Told of each event's place in the list once it is committed.</param>
    internal Task RunAsync(IReadOnlyList<JournalEvent> events, double perSecond, Action<int>? committed = null)
    {
        var watch = Stopwatch.StartNew();
        return Task.WhenAll(Enumerable.Range(0, _appenders.Length).Select(writer => Task.Run(async () =>
        {
            for (var i = 0; i < events.Count; i++)
            {
                if (JournalSlices.Of(events[i].PersistenceId) % _appenders.Length != writer)
                    continue;
                var early = TimeSpan.FromSeconds(i / perSecond) - watch.Elapsed;
                if (early > TimeSpan.FromMilliseconds(1))
                    await Task.Delay(early);
                await _appenders[writer].AppendAsync([events[i]]);
                committed?.Invoke(i);
            }
        })));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var appender in _appenders)
            await appender.DisposeAsync();
    }
}
