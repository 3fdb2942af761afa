namespace Throttled.Journal.Sqlite.Tests;

/// <summary>A journal that is divided among files, opened as a user opens it.</summary>
public sealed class ShardedJournalTests
{
    [Fact]
    public async Task Appended_events_are_read_by_id_in_all_events_and_from_a_stored_position()
    {
        await using var files = new FileShards(4);
        string[] ids = [.. Enumerable.Range(0, 40).Select(i => $"p-{i}")];
        await using var appender = ShardedJournal.OpenAppender(files.ConnectionStrings, SqliteJournal.OpenAppender);
        await appender.CreateAsync();
        await appender.AppendAsync([.. ids.Select(id => Make.Event(id, 1))]);
        await using var reader = ShardedJournal.OpenReader(files.ConnectionStrings, SqliteJournal.OpenReader);

        var first = await reader.CurrentAllEvents().AllAsync();
        var position = first.Aggregate(ShardedPosition.At(ShardMap.Even(4)), (before, each) => before.After(each));
        await using var live = LiveReading.Of(reader.AllEvents(ShardedPosition.Parse(position.ToString())));
        await appender.AppendAsync([.. ids.Select(id => Make.Event(id, 2))]);
        var second = await live.UntilAsync(ids.Length);

        Assert.Equal(ids.Order(), first.Select(each => each.PersistenceId).Order());
        Assert.All(second, each => Assert.Equal(2, each.SequenceNumber));
        Assert.Equal(ids.Order(), second.Select(each => each.PersistenceId).Order());
        Assert.Equal([1, 2], (await reader.CurrentEventsByPersistenceId("p-7").AllAsync()).Numbers());
        Assert.Equal(ids.Order(), (await reader.CurrentPersistenceIds().AllAsync()).Order());
    }

    private sealed class FileShards : IAsyncDisposable
    {
        private readonly List<JournalFile> _files;

        internal FileShards(int count) => _files = [.. Enumerable.Range(0, count).Select(_ => new JournalFile())];

        internal IReadOnlyList<string> ConnectionStrings => _files.ConvertAll(file => file.ConnectionString);

        public async ValueTask DisposeAsync()
        {
            foreach (var file in _files)
                await file.DisposeAsync();
        }
    }
}
