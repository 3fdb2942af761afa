namespace Throttled.Testing;

/// <summary>
/// Many live queries, one for each id, from the first event. Each event must be the next one of its id; all events are counted.
/// </summary>
public sealed class Crowd : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly Task[] _members;
    private long _events;
    private string? _wrong;

    /// <param name="ids">The ids; an id may occur several times.</param>
    public Crowd(JournalReader reader, IReadOnlyList<string> ids) =>
        _members = [.. ids.Select(id => ReadAsync(reader.EventsByPersistenceId(id), id))];

    /// <summary>The number of events that all queries got.</summary>
    public long Events => Interlocked.Read(ref _events);

    /// <summary>Waits until the queries got a number of events in total. Fails if a query fails or gets a wrong event.</summary>
    public async Task UntilAsync(long events, TimeSpan? timeout = null)
    {
        await Wait.UntilAsync(
            () => Events >= events || _wrong is not null, () => $"{events} events for the crowd; there are {Events}", timeout);
        await CheckAsync();
    }

    /// <summary>Fails if a query has failed or got a wrong event.</summary>
    public async Task CheckAsync()
    {
        Assert.Null(_wrong);
        if (_members.FirstOrDefault(member => member.IsCompleted) is { } ended)
            await ended;
        Assert.DoesNotContain(_members, member => member.IsCompleted);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_members).ContinueWith(_ => { }, TaskScheduler.Default).WithinAsync("the end of a cancelled crowd");
        _stop.Dispose();
    }

    private async Task ReadAsync(IAsyncEnumerable<JournalEvent> query, string id)
    {
        var next = 1L;
        try
        {
            await foreach (var each in query.WithCancellation(_stop.Token))
            {
                if (each.SequenceNumber != next || each.PersistenceId != id || TestEvents.TextOf(each) != TestEvents.Text(id, next))
                    _wrong ??= $"'{id}' got {each.PersistenceId}/{each.SequenceNumber} ({TestEvents.TextOf(each)}) in the place of {next}.";
                next++;
                Interlocked.Increment(ref _events);
            }
        }
        catch (Exception error) when (!_stop.IsCancellationRequested)
        {
            _wrong ??= $"'{id}' failed before {next}: {error}";
        }
    }
}
