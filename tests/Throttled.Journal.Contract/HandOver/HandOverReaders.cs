namespace Throttled.Journal.Contract;

/// <summary>Live queries opened at random moments from random numbers, some of which stop in the middle until they are woken.</summary>
internal sealed class HandOverReaders(int seed, IReadOnlyList<string> ids) : IAsyncDisposable
{
    private readonly Random _random = new(seed);
    private readonly List<(string Id, long From, bool Sleeps, LiveReading<JournalEvent> Reading)> _readings = [];
    private readonly TaskCompletionSource _wakeUp = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Opens some queries of a new reader while the writers write.</summary>
    internal async Task OpenAsync(JournalReader reader, Task until)
    {
        do
        {
            var id = ids[_random.Next(ids.Count)];
            var from = _random.Next(2) == 0 ? 0 : _random.Next(60);
            var sleepsAt = _random.Next(4) == 0 ? _random.Next(1, 20) : 0;
            var query = reader.EventsByPersistenceId(id, from);
            _readings.Add((id, from, sleepsAt > 0, LiveReading.Of(query, sleepsAt == 0 ? null : SleepAt(sleepsAt))));
            await Task.Delay(TimeSpan.FromMilliseconds(_random.Next(20)), TimeProvider.System);
        }
        while (!until.IsCompleted);
    }

    internal void WakeUp() => _wakeUp.SetResult();

    /// <summary>Waits until all that are awake have what was committed, and fails where one has anything else.</summary>
    internal async Task CheckAsync(string id, List<string> committed)
    {
        foreach (var (_, from, sleeps, reading) in _readings.Where(one => one.Id == id))
        {
            if (sleeps && !_wakeUp.Task.IsCompleted)
                continue;
            var expected = committed.Skip((int)Math.Max(0, from - 1)).ToList();
            await Wait.UntilAsync(
                () => reading.Count >= expected.Count || reading.Ended.IsCompleted,
                () => $"Seed {seed}: from {from} '{id}' must have {expected.Count} events and has {reading.Count}.",
                TimeSpan.FromSeconds(30));
            var found = reading.Events.Select(TestEvents.TextOf).ToList();
            Assert.True(
                expected.SequenceEqual(found),
                $"Seed {seed}: from {from} '{id}' must be {string.Join(", ", expected)} and was {string.Join(", ", found)}.");
        }
    }

    public async ValueTask DisposeAsync()
    {
        _wakeUp.TrySetResult();
        foreach (var (_, _, _, reading) in _readings)
            await reading.DisposeAsync();
    }

    private Func<JournalEvent, Task> SleepAt(int count)
    {
        var events = 0;
        return _ => ++events == count ? _wakeUp.Task : Task.CompletedTask;
    }
}
