using SQLitePCL;

namespace Throttled.Journal.Sqlite.Tests;

/// <summary>Runs alone, because SQLite counts the memory of the whole process.</summary>
[Collection(Contract.AloneCollection.Name)]
public sealed class SqliteLargePayloadTests
{
    private const int Large = 50 << 20;

    [Fact]
    public async Task SQLite_does_not_load_a_payload_above_the_limit()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1), Make.Event("a", 2), Make.Event("a", 3));
        file.Execute($"UPDATE journal SET message = zeroblob({Large}) WHERE sequence_number = 2");
        await using var reader = SqliteJournal.OpenReader(
            file.ConnectionString, new() { MaxPayloadBytes = 1000, OnLargePayload = LargePayloadAction.OmitPayload });
        await reader.CurrentAllEvents().AllAsync();

        var before = raw.sqlite3_memory_used();
        raw.sqlite3_memory_highwater(1);
        var events = await reader.CurrentAllEvents().AllAsync();
        events.AddRange(await reader.CurrentEventsByPersistenceId("a").AllAsync());
        var most = raw.sqlite3_memory_highwater(0) - before;

        Assert.Equal([0, Large, 0, 0, Large, 0], events.Select(each => each.OmittedPayloadBytes));
        // A session that reads the row for the first time fills its page cache of 2 MB, to reach the columns behind the payload.
        Assert.True(most < Large / 5, $"SQLite took {most} bytes more; the bound is {Large / 5}.");
    }

    [Theory]
    [InlineData("UTF-8", 9)]
    [InlineData("UTF-16", 16)]
    public async Task A_limit_counts_the_bytes_of_a_text_as_it_is_stored(string encoding, int stored)
    {
        await using var file = new JournalFile();
        file.Execute($"PRAGMA encoding = '{encoding}'; CREATE TABLE first (a)");
        await file.CreateAsync(Make.Event("a", 1), Make.Event("a", 2));
        file.Execute("UPDATE journal SET message = CASE sequence_number WHEN 1 THEN '1234567' ELSE '1234567é' END");
        await using var reader = SqliteJournal.OpenReader(
            file.ConnectionString, new() { MaxPayloadBytes = stored - 1, OnLargePayload = LargePayloadAction.OmitPayload });

        var events = await reader.CurrentEventsByPersistenceId("a").AllAsync();

        Assert.Equal(["1234567", ""], events.Texts());
        Assert.Equal([0, stored], events.Select(each => each.OmittedPayloadBytes));
    }

    [Theory]
    [InlineData("NULL", "NULL")]
    [InlineData("1.5", "a floating-point number")]
    public async Task With_a_limit_an_invalid_payload_fails_too(string payload, string found)
    {
        await using var file = new JournalFile();
        file.Execute("CREATE TABLE journal (ordering INTEGER PRIMARY KEY, deleted, persistence_id, sequence_number, created, message, identifier, manifest, tags)");
        file.Execute($"INSERT INTO journal VALUES (1, 0, 'a', 1, 1, {payload}, NULL, NULL, NULL)");
        await using var reader = SqliteJournal.OpenReader(
            file.ConnectionString, new() { MaxPayloadBytes = 10, Tables = JournalTables.Default with { TagMode = TagMode.Csv } });

        var error = await Assert.ThrowsAsync<JournalException>(() => reader.CurrentEventsByPersistenceId("a").AllAsync());

        Assert.Contains($"Column \"message\" holds {found}", error.Message, StringComparison.Ordinal);
    }
}
