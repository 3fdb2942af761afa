using Throttled.Journal.Sqlite;
using Throttled.Testing.Scripted;

namespace Throttled.Faults.Rewound;

/// <summary>A SQLite file that is replaced by an older copy of it.</summary>
public sealed class SqliteRestoreTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-restore-");
    private readonly RecordedLog _log = new();

    private string File => Path.Combine(_directory.FullName, "journal.db");

    [Fact]
    public async Task A_file_that_was_replaced_is_read_from_the_given_position_and_a_position_beyond_its_end_is_logged()
    {
        await AppendAsync(1, 30);
        var copy = Copy();
        await AppendAsync(31, 10);
        Replace(copy);
        await using var reader = Open();
        await using var reading = LiveReading.Of(reader.AllEvents(40));
        await Wait.UntilAsync(() => _log.CountOf(19) == 1, "the log entry about a position beyond the end");
        await AppendAsync(31, 12, "anew");
        // The reader's position is beyond the events that replaced the lost ones, so it does not get them.
        Assert.Equal([41, 42], (await reading.UntilAsync(2)).Orderings());
        Assert.Equal(42, (await reader.CurrentAllEvents(0).AllAsync()).Count);
    }

    [Fact]
    public async Task A_file_that_is_replaced_under_an_open_reader_is_not_detected_until_the_reader_is_closed()
    {
        if (OperatingSystem.IsWindows())
            return;
        await AppendAsync(1, 30);
        var copy = Copy();
        await AppendAsync(31, 10);
        await using (var reader = Open())
        {
            await using var reading = LiveReading.Of(reader.AllEvents());
            await reading.UntilAsync(40);
            Replace(copy);
            await AppendAsync(31, 1, "anew");
            Assert.Equal(40, (await reader.CurrentAllEvents().AllAsync()).Count);
            Assert.False(reading.Ended.IsCompleted);
        }
        await using var another = Open();
        Assert.Equal(31, (await another.CurrentAllEvents().AllAsync()).Count);
    }

    public void Dispose() => _directory.Delete(recursive: true);

    // One thread reads all pages, so its connection is that of the file before.
    private JournalReader Open() => SqliteJournal.OpenReader($"Data Source={File}", new() { MaxConcurrentQueries = 1, LoggerFactory = _log });

    // Closed after each write, so all events are in the file and none in the WAL.
    private async Task AppendAsync(long from, int count, string mark = "")
    {
        await using var appender = SqliteJournal.OpenAppender($"Data Source={File}", JournalTables.Default);
        await appender.CreateAsync();
        await appender.AppendAsync(TestEvents.Of("a", from, count, mark));
    }

    private string Copy()
    {
        System.IO.File.Copy(File, $"{File}.copy");
        return $"{File}.copy";
    }

    private void Replace(string copy)
    {
        foreach (var left in (string[])[$"{File}-wal", $"{File}-shm"])
            System.IO.File.Delete(left);
        System.IO.File.Move(copy, File, overwrite: true);
    }
}
