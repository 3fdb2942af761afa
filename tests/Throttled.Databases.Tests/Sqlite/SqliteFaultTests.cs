using System.Text;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteFaultTests
{
    [Fact]
    public async Task Queries_wait_for_a_missing_file()
    {
        await using var file = new JournalFile();
        var database = file.Database();

        var error = await Assert.ThrowsAsync<FileNotFoundException>(() => database.EventsAsync("a"));
        Assert.Equal(FaultKind.MissingTable, database.Classify(error));

        await file.CreateAsync(Make.Event("a", 1));
        Assert.Single(await database.EventsAsync("a"));
    }

    [Fact]
    public async Task Queries_wait_for_a_missing_table()
    {
        await using var file = new JournalFile();
        file.Execute("CREATE TABLE other (x)");
        var database = file.Database();

        Assert.Equal(FaultKind.MissingTable, await FaultOfAsync(database, () => database.ProbeAsync(CancellationToken.None)));
        Assert.Equal(FaultKind.MissingTable, await FaultOfAsync(database, () => database.EventsAsync("a")));

        await file.CreateAsync(Make.Event("a", 1));
        Assert.Single(await database.EventsAsync("a"));
    }

    [Fact]
    public async Task A_missing_tag_table_is_fatal_and_the_remedy_is_named()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1));
        var database = file.Database();
        await database.ProbeAsync(CancellationToken.None);
        Assert.Single(await database.EventsAsync("a"));
        file.Execute("ALTER TABLE tags RENAME TO hidden");

        Func<Task>[] calls =
        [
            () => database.ProbeAsync(CancellationToken.None),
            () => database.ReadTagHorizonAsync(settled: 0, CancellationToken.None),
            () => database.EventsAsync("a"),
        ];
        foreach (var call in calls)
        {
            var error = await Assert.ThrowsAsync<MissingTagTableException>(call);
            Assert.Equal(FaultKind.Fatal, database.Classify(error));
            Assert.StartsWith("'TagMode' is TagTable, but there is no table \"tags\"", error.Message, StringComparison.Ordinal);
            Assert.Contains("set 'TagMode' to Csv", error.Message, StringComparison.Ordinal);
        }

        file.Execute("ALTER TABLE hidden RENAME TO tags");
        Assert.Single(await database.EventsAsync("a"));
    }

    [Fact]
    public async Task A_reader_of_existing_events_does_not_wait_for_a_missing_tag_table()
    {
        await using var file = new JournalFile();
        file.Execute(OlderPluginTests.Journal);
        file.Execute("INSERT INTO event_journal (persistence_id, sequence_nr, is_deleted, timestamp, manifest, payload) VALUES ('a', 1, 0, 1, '', x'01')");
        var tables = JournalTables.Sqlite with { TagMode = TagMode.TagTable };
        await using var reader = SqliteJournal.OpenReader(file.ConnectionString, new() { Tables = tables });

        var error = await Assert.ThrowsAsync<JournalException>(() => reader.EventsByPersistenceId("a").AllAsync());

        Assert.Contains("'TagMode'", error.ToString(), StringComparison.Ordinal);
        Assert.IsType<MissingTagTableException>(error.InnerException);
    }

    [Fact]
    public async Task A_missing_column_is_fatal_and_not_read_as_a_text()
    {
        await using var file = new JournalFile();
        file.Execute("CREATE TABLE journal (ordering INTEGER PRIMARY KEY)");
        var database = file.Database();

        Assert.Equal(FaultKind.Fatal, await FaultOfAsync(database, () => database.ProbeAsync(CancellationToken.None)));
    }

    [Fact]
    public async Task A_file_that_is_no_database_is_fatal()
    {
        await using var file = new JournalFile();
        await File.WriteAllTextAsync(SqliteSource.Parse(file.ConnectionString).File!, new string('x', 10_000));
        var database = file.Database();

        Assert.Equal(FaultKind.Fatal, await FaultOfAsync(database, () => database.ProbeAsync(CancellationToken.None)));
    }

    [Theory]
    [InlineData("", FaultKind.ConnectionLost)]
    [InlineData("x", FaultKind.Fatal)]
    internal async Task A_file_that_is_overwritten_is_not_blamed_on_a_row(string with, FaultKind kind)
    {
        await using var file = new JournalFile();
        await file.CreateAsync([.. Enumerable.Range(1, 2_000).Select(number => Make.Event("a", number))]);
        await using var writer = file.Appender();
        await writer.AppendAsync([Make.Event("b", 1)]);
        file.Execute("PRAGMA wal_checkpoint(TRUNCATE)");
        var database = file.Database();
        await database.EventsAsync("b");
        var path = SqliteSource.Parse(file.ConnectionString).File!;
        var before = await File.ReadAllBytesAsync(path);

        await File.WriteAllTextAsync(path, string.Concat(Enumerable.Repeat(with, before.Length)));

        Assert.Equal(kind, await FaultOfAsync(database, () => database.EventsAsync("a")));
        await File.WriteAllBytesAsync(path, before);
        Assert.Equal(100, (await database.EventsAsync("a")).Count);
    }

    [Fact]
    public async Task A_reader_does_not_delete_the_WAL_of_a_file_that_was_emptied()
    {
        await using var file = new JournalFile();
        await using var writer = file.Appender();
        await writer.CreateAsync();
        await writer.AppendAsync([Make.Event("a", 1)]);
        var path = SqliteSource.Parse(file.ConnectionString).File!;
        await File.WriteAllTextAsync(path, "");
        var database = file.Database();

        Assert.Equal(FaultKind.ConnectionLost, await FaultOfAsync(database, () => database.ProbeAsync(CancellationToken.None)));
        Assert.True(File.Exists($"{path}-wal"), "It deleted the WAL.");
    }

    [Fact]
    public async Task A_file_with_a_damaged_schema_is_fatal()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1));
        var path = SqliteSource.Parse(file.ConnectionString).File!;
        var bytes = await File.ReadAllBytesAsync(path);
        // The first page has the header of the file, and then the schema.
        bytes.AsSpan(100, 3_900).Fill(0x7f);
        await File.WriteAllBytesAsync(path, bytes);
        var database = file.Database();

        Assert.Equal(FaultKind.Fatal, await FaultOfAsync(database, () => database.ProbeAsync(CancellationToken.None)));
    }

    [Fact]
    public async Task A_locked_database_is_a_transient_fault()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1));
        file.Execute("PRAGMA journal_mode = DELETE");
        var database = file.Database();
        await database.ProbeAsync(CancellationToken.None);
        using (var writer = file.Connect())
        {
            using var command = writer.CreateCommand();
            command.CommandText = "BEGIN EXCLUSIVE";
            command.ExecuteNonQuery();
            Assert.Equal(FaultKind.Transient, await FaultOfAsync(database, () => database.EventsAsync("a")));
        }

        Assert.Single(await database.EventsAsync("a"));
    }

    [Theory]
    [InlineData("UPDATE journal SET created = 'soon'", "created")]
    [InlineData("UPDATE journal SET message = 17", "message")]
    [InlineData("UPDATE journal SET identifier = 'x'", "identifier")]
    [InlineData("UPDATE journal SET deleted = 'maybe'", "deleted")]
    public async Task A_value_of_another_type_is_unreadable_and_named(string damage, string column)
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1));
        file.Execute(damage);
        var database = file.Database();

        var error = await Assert.ThrowsAsync<InvalidCastException>(() => database.EventsAsync("a"));

        Assert.Equal(FaultKind.Unreadable, database.Classify(error));
        Assert.StartsWith($"Column \"{column}\" holds ", error.Message, StringComparison.Ordinal);
        Assert.Empty(await database.EventsAsync("b"));
    }

    [Fact]
    public async Task A_serializer_id_beyond_32_bits_is_unreadable()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1));
        file.Execute("UPDATE journal SET identifier = 3000000000");
        var database = file.Database();

        Assert.Equal(FaultKind.Unreadable, await FaultOfAsync(database, () => database.EventsAsync("a")));
    }

    [Fact]
    public async Task A_duplicate_sequence_number_fails_only_the_queries_of_its_id()
    {
        await using var file = new JournalFile();
        file.Execute(
            """
            CREATE TABLE journal (ordering INTEGER PRIMARY KEY AUTOINCREMENT, deleted, persistence_id, sequence_number, created, message,
                identifier, manifest, writer_uuid)
            """);
        await file.CreateAsync(Make.Event("a", 1), Make.Event("a", 1), Make.Event("b", 1), Make.Event("b", 2));

        var database = file.Database();
        Assert.Equal(FaultKind.Unreadable, await FaultOfAsync(database, () => database.EventsAsync("a")));
        await using var reader = SqliteJournal.OpenReader(file.ConnectionString, new() { MaxConcurrentQueries = 1 });
        await using var failing = LiveReading.Of(reader.EventsByPersistenceId("a"));
        await using var following = LiveReading.Of(reader.EventsByPersistenceId("b"));

        await Assert.ThrowsAsync<JournalException>(() => failing.Ended.WithinAsync("the culprit's failure"));
        await following.UntilAsync(2);
        await file.Appender().AppendAsync([Make.Event("b", 3)]);

        Assert.Equal([1, 2, 3], (await following.UntilAsync(3)).Numbers());
    }

    [Fact]
    public async Task An_id_that_is_invalid_UTF_8_is_unreadable_and_never_another_id()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a\ufffd", 1));
        var database = file.Database();

        Assert.Equal(FaultKind.Unreadable, await FaultOfAsync(database, () => database.EventsAsync("a\ud800")));
        Assert.Single(await database.EventsAsync("a\ufffd"));
    }

    [Fact]
    public async Task An_event_whose_id_has_half_of_a_surrogate_pair_is_not_appended()
    {
        await using var file = new JournalFile();
        await file.CreateAsync();

        await Assert.ThrowsAsync<ArgumentException>(
            () => file.Appender().AppendAsync([Make.Event("a", 1), Make.Event("a\ud800", 1)]));

        Assert.Equal("0", file.Text("SELECT count(*) FROM journal"));
    }

    [Theory]
    [InlineData(5, 5, FaultKind.Transient)]
    [InlineData(6, 262, FaultKind.Transient)]
    [InlineData(8, 8, FaultKind.Fatal)]
    [InlineData(8, 776, FaultKind.ConnectionLost)]
    [InlineData(8, 1288, FaultKind.ConnectionLost)]
    [InlineData(10, 266, FaultKind.ConnectionLost)]
    [InlineData(11, 11, FaultKind.Unreadable)]
    [InlineData(13, 13, FaultKind.Transient)]
    [InlineData(14, 14, FaultKind.Fatal)]
    [InlineData(23, 23, FaultKind.Fatal)]
    [InlineData(26, 26, FaultKind.Fatal)]
    internal void Each_code_has_its_fault_kind(int code, int extended, FaultKind kind) =>
        Assert.Equal(kind, SqliteFaults.Classify(new SqliteException("", code, extended)));

    private static async Task<FaultKind> FaultOfAsync(SqliteDatabase database, Func<Task> call) =>
        database.Classify((await Record.ExceptionAsync(call))!);
}
