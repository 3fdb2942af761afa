namespace Throttled.Databases.Tests.Contract;

/// <summary>
/// Live queries of all kinds, opened at random times from random sequence numbers and positions. Some pause in the middle until they
/// are resumed.
/// </summary>
internal sealed class HandOverReaders(int seed, IReadOnlyList<string> ids) : IAsyncDisposable
{
    // Queries poll all the time. Without a limit, slow writers would bring more queries, and these would make the writers slower.
    private const int MostOpened = 30;

    private readonly Random _random = new(seed);
    private readonly List<(string Name, Func<JournalEvent, bool> Wants, bool Pauses, LiveReading<JournalEvent> Reading)> _readings = [];
    private readonly List<LiveReading<string>> _idReadings = [];
    private readonly TaskCompletionSource _wakeUp = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Opens some queries of a new reader while the writers write.</summary>
    internal async Task OpenAsync(JournalReader reader, Task until)
    {
        _idReadings.Add(LiveReading.Of(reader.PersistenceIds()));
        var opened = 0;
        do
        {
            var (name, query, wants) = _random.Next(2) == 0 ? ById(reader) : InOrder(reader);
            var pausesAt = _random.Next(4) == 0 ? _random.Next(1, 20) : 0;
            _readings.Add((name, wants, pausesAt > 0, LiveReading.Of(query, pausesAt == 0 ? null : PauseAt(pausesAt))));
            await Task.Delay(TimeSpan.FromMilliseconds(_random.Next(20)), TimeProvider.System);
        }
        while (++opened < MostOpened && !until.IsCompleted);
    }

    internal void WakeUp() => _wakeUp.SetResult();

    /// <summary>Waits until all queries that are not paused have the committed events, and fails if one has anything else.</summary>
    /// <param name="committed">All committed events, in journal order.</param>
    internal async Task CheckAsync(List<JournalEvent> committed)
    {
        foreach (var (name, wants, pauses, reading) in _readings)
        {
            if (!pauses || _wakeUp.Task.IsCompleted)
                await CheckAsync(name, [.. committed.Where(wants).Texts()], reading, TestEvents.TextOf);
        }
        foreach (var reading in _idReadings)
            await CheckAsync("the ids", [.. committed.Select(each => each.PersistenceId).Distinct().Order()], reading, id => id, inAnyOrder: true);
    }

    public async ValueTask DisposeAsync()
    {
        _wakeUp.TrySetResult();
        foreach (var (_, _, _, reading) in _readings)
            await reading.DisposeAsync();
        foreach (var reading in _idReadings)
            await reading.DisposeAsync();
    }

    private async Task CheckAsync<T>(
        string name, List<string> expected, LiveReading<T> reading, Func<T, string> textOf, bool inAnyOrder = false)
    {
        await Wait.UntilAsync(
            () => reading.Count >= expected.Count || reading.Ended.IsCompleted,
            () => $"Seed {seed}: {name} must have {expected.Count} items and has {reading.Count}; {string.Join(", ", expected.Except(reading.Events.Select(textOf)))} did not come.",
            TimeSpan.FromMinutes(4));
        var found = reading.Events.Select(textOf);
        Assert.True(
            expected.SequenceEqual(inAnyOrder ? found.Order() : found),
            $"Seed {seed}: {name} must be {string.Join(", ", expected)} and was {string.Join(", ", found)}.");
    }

    private (string, IAsyncEnumerable<JournalEvent>, Func<JournalEvent, bool>) ById(JournalReader reader)
    {
        var id = ids[_random.Next(ids.Count)];
        var from = _random.Next(2) == 0 ? 0 : _random.Next(60);
        return ($"'{id}' from {from}", reader.EventsByPersistenceId(id, from), each => each.PersistenceId == id && each.SequenceNumber >= from);
    }

    private (string, IAsyncEnumerable<JournalEvent>, Func<JournalEvent, bool>) InOrder(JournalReader reader)
    {
        var selection = (Selection)_random.Next(3);
        var after = _random.Next(2) == 0 ? 0 : _random.Next(400);
        return ($"{selection} behind {after}", reader.Read(selection, live: true, after), each => each.Ordering > after && selection.Wants(each));
    }

    private Func<JournalEvent, Task> PauseAt(int count)
    {
        var events = 0;
        return _ => ++events == count ? _wakeUp.Task : Task.CompletedTask;
    }
}
