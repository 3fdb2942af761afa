using System.Diagnostics;

namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>One query over many readers. Each goes on from where the last one was killed.</summary>
/// <param name="name">The name of the query.</param>
/// <param name="open">Opens the query from a position.</param>
/// <param name="wants">Whether an event matches.</param>
/// <param name="positionOf">The position of an event.</param>
internal sealed class OrderReading(
    string name,
    Func<JournalReader, long, IAsyncEnumerable<JournalEvent>> open,
    Func<JournalEvent, bool> wants,
    Func<JournalEvent, long> positionOf)
{
    private readonly List<(JournalEvent Event, long At)> _found = [];
    private long _position;
    private int _given;

    /// <summary>The number of events that it got, without those that are deleted again.</summary>
    internal int Given => Volatile.Read(ref _given);

    /// <summary>Reads until the query ends or is killed. After a kill nothing is cleaned up, and later events are dropped.</summary>
    internal async Task ReadAsync(JournalReader reader, Task killed)
    {
        var events = open(reader, _position).GetAsyncEnumerator();
        while (true)
        {
            var moving = events.MoveNextAsync().AsTask();
            await Task.WhenAny(moving, killed);
            if (killed.IsCompleted)
            {
                _ = moving.ContinueWith(left => left.Exception, TaskScheduler.Default);
                return;
            }
            if (!await moving)
                break;
            Take(events.Current);
        }
        await events.DisposeAsync();
    }

    /// <summary>Waits until it has got all committed events, and checks them.</summary>
    internal async Task CheckAsync(OrderLedger ledger)
    {
        var expected = ledger.Of(wants);
        var certain = expected.Count(entry => !entry.MayBeGone);
        await Wait.UntilAsync(() => Given >= certain, () => $"{name}: {certain} events; there are {Given}. {FirstMissing(expected)}");
        Ascend();
        AreThoseCommitted(expected);
        AreNotEarly(expected);
    }

    private void Take(JournalEvent each)
    {
        lock (_found)
            _found.Add((each, Stopwatch.GetTimestamp()));
        _position = positionOf(each);
        if (!each.PersistenceId.StartsWith(OrderLedger.Gone, StringComparison.Ordinal))
            Interlocked.Increment(ref _given);
    }

    private void Ascend()
    {
        foreach (var (one, next) in Found().Zip(Found().Skip(1)))
            Assert.True(one.Event.Ordering < next.Event.Ordering, $"{name}: {next.Event} came after {one.Event}.");
    }

    private void AreThoseCommitted(List<OrderLedger.Entry> expected)
    {
        // A server that was killed can reuse an ordering that was never committed.
        var known = expected.ToLookup(entry => (entry.Ordering, entry.Text));
        foreach (var (each, _) in Found())
        {
            var entry = known[(each.Ordering, TestEvents.TextOf(each))].FirstOrDefault();
            Assert.True(entry is not null, $"{name}: {each} was delivered, but does not match or was not committed.");
            Assert.Equal(entry.Event.Tags.Order(), each.Tags.Order());
        }
        Assert.Equal("", FirstMissing(expected));
    }

    // A reader that got an event must have all events below it. None of those may have been committed later.
    private void AreNotEarly(List<OrderLedger.Entry> expected)
    {
        OrderLedger.Entry? latest = null;
        var below = expected.GetEnumerator();
        var isMore = below.MoveNext();
        foreach (var (each, at) in Found())
        {
            for (; isMore && below.Current.Ordering < each.Ordering; isMore = below.MoveNext())
            {
                if (!below.Current.MayBeGone && (latest is null || latest.CommitBegan < below.Current.CommitBegan))
                    latest = below.Current;
            }
            Assert.True(latest is null || latest.CommitBegan < at, $"{name}: {each} was delivered before {latest?.Event} was committed.");
        }
    }

    private string FirstMissing(List<OrderLedger.Entry> expected)
    {
        var given = Found().Select(each => each.Event.Ordering).ToHashSet();
        return expected.Find(entry => !entry.MayBeGone && !given.Contains(entry.Ordering)) is { } missing
            ? $"{missing.Event} is missing, the position is {_position}."
            : "";
    }

    private List<(JournalEvent Event, long At)> Found()
    {
        lock (_found)
            return [.. _found];
    }
}
