using Microsoft.Data.Sqlite;

namespace Throttled.Journal.Sqlite.Tests;

public sealed class SqliteAppenderTests
{
    public static TheoryData<string, TagMode> Layouts => new()
    {
        { "default", TagMode.TagTable }, { "default", TagMode.Csv },
        { "sqlite", TagMode.TagTable }, { "sqlite", TagMode.Csv },
        { "postgresql", TagMode.TagTable }, { "postgresql", TagMode.Csv },
    };

    [Theory]
    [MemberData(nameof(Layouts))]
    public async Task Appended_events_can_be_read(string layout, TagMode mode)
    {
        await using var file = new JournalFile(Tables(layout, mode));
        await file.CreateAsync(Make.Event("a", 1, "blue", "green"), Make.Event("b", 1), Make.Event("a", 2, "blue"));

        var events = await file.Database().EventsAsync("a");

        Assert.Equal([1, 3], events.Select(each => each.Ordering));
        Assert.Equal(["a", "a"], events.Select(each => each.PersistenceId));
        Assert.Equal([1, 2], events.Select(each => each.SequenceNumber));
        Assert.Equal([638_000_000_000_000_001, 638_000_000_000_000_002], events.Select(each => each.Timestamp));
        Assert.Equal([1, 2, 2], events[1].Payload.ToArray());
        Assert.Equal([9, 9], events.Select(each => each.SerializerId));
        Assert.Same(events[0].Manifest, events[1].Manifest);
        Assert.Equal(["blue", "green"], events[0].Tags.Order());
        Assert.Equal(["blue"], events[1].Tags);
    }

    [Theory]
    [InlineData("default", TagMode.Csv, false)]
    [InlineData("sqlite", TagMode.Csv, true)]
    [InlineData("sqlite", TagMode.TagTable, false)]
    [InlineData("postgresql", TagMode.Csv, false)]
    public async Task Only_the_older_layout_reuses_orderings(string layout, TagMode mode, bool reuses)
    {
        await using var file = new JournalFile(Tables(layout, mode));
        await file.CreateAsync();
        var database = file.Database();

        await database.ProbeAsync(CancellationToken.None);

        Assert.Equal(reuses, database.ReusesOrderings);
    }

    [Fact]
    public async Task Empty_payloads_long_ids_and_missing_serializers_are_kept()
    {
        await using var file = new JournalFile();
        var id = new string('ä', 3000);
        await file.CreateAsync(new JournalEvent { PersistenceId = id, SequenceNumber = 1, Payload = default });

        var read = Assert.Single(await file.Database().EventsAsync(id));

        Assert.True(read.Payload.IsEmpty);
        Assert.Null(read.SerializerId);
        Assert.Equal("", read.Manifest);
    }

    [Fact]
    public async Task An_event_without_a_timestamp_gets_one()
    {
        await using var file = new JournalFile();
        var appender = file.Appender(new StoppedClock());
        await appender.CreateAsync();

        await appender.AppendAsync([new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = default }]);

        Assert.Equal(StoppedClock.Now.UtcTicks, Assert.Single(await file.Database().EventsAsync("a")).Timestamp);
    }

    [Fact]
    public async Task A_duplicate_sequence_number_appends_nothing()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1));
        var appender = file.Appender();

        var error = await Assert.ThrowsAsync<SqliteException>(
            () => appender.AppendAsync([Make.Event("b", 1, "blue"), Make.Event("a", 1)]));

        Assert.Equal(19, error.SqliteErrorCode);
        Assert.Empty(await file.Database().EventsAsync("b"));
        await appender.AppendAsync([Make.Event("b", 1)]);
        Assert.Single(await file.Database().EventsAsync("b"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("a;b")]
    public async Task A_tag_that_would_be_read_back_as_another_is_refused_before_anything_is_written(string tag)
    {
        await using var file = new JournalFile(JournalTables.Default with { TagMode = TagMode.Csv });
        await file.CreateAsync();
        var appender = file.Appender();

        await Assert.ThrowsAsync<ArgumentException>(() => appender.AppendAsync([Make.Event("a", 1), Make.Event("a", 2, tag)]));

        Assert.Empty(await file.Database().EventsAsync("a"));
    }

    [Fact]
    public async Task A_tag_table_stores_any_tag_once()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1, "a;b", "a;b"));

        Assert.Equal(["a;b"], Assert.Single(await file.Database().EventsAsync("a")).Tags);
    }

    [Fact]
    public async Task Creating_twice_keeps_the_events_and_WAL_mode()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1));
        await file.CreateAsync();

        Assert.Single(await file.Database().EventsAsync("a"));
        Assert.Equal("wal", file.Text("PRAGMA journal_mode"));
    }

    [Fact]
    public async Task Creating_switches_an_existing_file_to_WAL_mode_but_appending_does_not()
    {
        await using var file = new JournalFile();
        await file.CreateAsync();
        file.Execute("PRAGMA journal_mode = DELETE");
        var appender = file.Appender();

        await appender.AppendAsync([Make.Event("a", 1)]);
        Assert.Equal("delete", file.Text("PRAGMA journal_mode"));

        await appender.CreateAsync();
        Assert.Equal("wal", file.Text("PRAGMA journal_mode"));
    }

    [Fact]
    public async Task A_cancelled_append_appends_nothing()
    {
        await using var file = new JournalFile();
        await file.CreateAsync();
        using var cancel = new CancellationTokenSource();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => file.Appender().AppendAsync(new CancellingEvents(cancel), cancel.Token));

        Assert.Empty(await file.Database().EventsAsync("a"));
    }

    private static JournalTables Tables(string layout, TagMode mode) => (layout switch
    {
        "sqlite" => JournalTables.Sqlite,
        "postgresql" => JournalTables.PostgreSql,
        _ => JournalTables.Default,
    }) with { TagMode = mode };

    private sealed class StoppedClock : TimeProvider
    {
        internal static DateTimeOffset Now { get; } = new(2024, 10, 24, 0, 0, 0, TimeSpan.Zero);

        public override DateTimeOffset GetUtcNow() => Now;
    }

    /// <summary>Cancels between the second event and the third.</summary>
    private sealed class CancellingEvents(CancellationTokenSource cancel) : List<JournalEvent>(Make.Events("a", 3)), IEnumerable<JournalEvent>
    {

        IEnumerator<JournalEvent> IEnumerable<JournalEvent>.GetEnumerator()
        {
            for (var i = 0; i < Count; i++)
            {
                if (i == 2)
                    cancel.Cancel();
                yield return this[i];
            }
        }
    }
}
