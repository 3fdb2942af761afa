namespace Throttled.Journal.Contract;

/// <summary>Live queries opened at random moments from random numbers, some of which stop in the middle until they are woken.</summary>
internal sealed class HandOverReaders(JournalReader reader, IReadOnlyList<string> ids, int seed) : IAsyncDisposable
{
    private readonly Random _random = new(seed);
    private readonly List<(string Id, long From, LiveReading Reading)> _readings = [];
    private readonly TaskCompletionSource _wakeUp = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal async Task OpenAsync(Task until)
    {
        while (!until.IsCompleted || _readings.Count < ids.Count)
        {
            var id = ids[_random.Next(ids.Count)];
            var from = _random.Next(3) == 0 ? 0 : _random.Next(60);
            var sleepsAt = _random.Next(3) == 0 ? _random.Next(1, 20) : 0;
            var query = reader.EventsByPersistenceId(id, from);
            _readings.Add((id, from, LiveReading.Of(query, sleepsAt == 0 ? null : SleepAt(sleepsAt))));
            await Task.Delay(TimeSpan.FromMilliseconds(_random.Next(12)), TimeProvider.System);
        }
    }

    internal void WakeUp() => _wakeUp.SetResult();

    internal async Task CheckAsync(string id, List<string> committed, int seed)
    {
        foreach (var (_, from, reading) in _readings.Where(one => one.Id == id))
        {
            var expected = committed.Skip((int)Math.Max(0, from - 1)).ToList();
            var found = (await reading.UntilAsync(expected.Count)).Select(TestEvents.TextOf).ToList();
            Assert.True(
                expected.SequenceEqual(found),
                $"Seed {seed}: from {from} '{id}' must be {string.Join(", ", expected)} and was {string.Join(", ", found)}.");
        }
    }

    public async ValueTask DisposeAsync()
    {
        _wakeUp.TrySetResult();
        foreach (var (_, _, reading) in _readings)
            await reading.DisposeAsync();
    }

    private Func<JournalEvent, Task> SleepAt(int count)
    {
        var events = 0;
        return _ => ++events == count ? _wakeUp.Task : Task.CompletedTask;
    }
}
