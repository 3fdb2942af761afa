namespace Throttled.Faults.Sqlite;

/// <summary>Live queries that must all fail, each with its id in the message.</summary>
internal sealed class Failures(JournalReader reader, IEnumerable<string> ids) : IAsyncDisposable
{
    private readonly List<(string Id, LiveReading<JournalEvent> Reading)> _readings =
        [.. ids.Select(id => (id, LiveReading.Of(reader.EventsByPersistenceId(id))))];

    internal async Task AllFailAsync()
    {
        foreach (var (id, reading) in _readings)
        {
            var error = await Assert.ThrowsAsync<JournalException>(() => reading.Ended.WithinAsync($"the failure of '{id}'"));
            Assert.Contains($"'{id}'", error.Message, StringComparison.Ordinal);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var (_, reading) in _readings)
            await reading.DisposeAsync();
    }
}
