using System.Diagnostics;

namespace Throttled.Benchmarks.Writing;

/// <summary>Writes events at a steady rate, each in its own transaction. All events of a persistence id go through the same writer.</summary>
internal sealed class SteadyWriters(OwnJournal journal) : IAsyncDisposable
{
    private readonly JournalAppender[] _appenders = [.. Enumerable.Range(0, journal.Writers).Select(_ => journal.OpenAppender())];

    /// <param name="perSecond">The number of events per second; writers that cannot keep up write as fast as possible.</param>
    /// <param name="committed">Called with each event's index in the list after its commit.</param>
    internal Task RunAsync(IReadOnlyList<JournalEvent> events, double perSecond, Action<int>? committed = null)
    {
        var watch = Stopwatch.StartNew();
        return Task.WhenAll(Enumerable.Range(0, _appenders.Length).Select(writer => Task.Factory.StartNew(
            () => Run(writer), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)));

        // On a thread of its own: .NET's timers fire when the kernel's clock ticks, every 4 ms on many machines. Writers that wait by such timers would
        // run at the same moments as the polls, and their events would not wait for a poll.
        void Run(int writer)
        {
            for (var i = 0; i < events.Count; i++)
            {
                if (JournalSlices.Of(events[i].PersistenceId) % _appenders.Length != writer)
                    continue;
                var early = TimeSpan.FromSeconds(i / perSecond) - watch.Elapsed;
                if (early > TimeSpan.Zero)
                    Thread.Sleep(TimeSpan.FromMilliseconds(Math.Ceiling(early.TotalMilliseconds)));
                _appenders[writer].AppendAsync([events[i]]).GetAwaiter().GetResult();
                committed?.Invoke(i);
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var appender in _appenders)
            await appender.DisposeAsync();
    }
}
