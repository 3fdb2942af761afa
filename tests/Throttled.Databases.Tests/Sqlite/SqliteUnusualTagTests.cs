using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite.Tests;

/// <summary>Tags that a pattern, a collation or a quoted text would confuse.</summary>
public sealed class SqliteUnusualTagTests
{
    // Neighbours differ in details that a database might ignore.
    private static readonly string[] Tags =
    [
        "Blue", "blue", "BLUE", "blu", "blue ", " blue", "bl%", "bl_e", "bl\\e", "b'lue", "b\"lue", "`blue`", "[blue]", "*", "?", ";", "a;b",
        "größe", "GRÖSSE", "gro\u0308ße", "\u65e5\u672c", "\ud83d\ude00", "\ud83d\ude01", "tab\t", "line\n",
        new('x', 64), new('x', 65), new('x', 500), new string('x', 63) + "\ud83d\ude00",
    ];

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Each_tag_finds_only_its_own_event(TagMode mode)
    {
        await using var file = new JournalFile(JournalTables.Default with { TagMode = mode });
        var tags = Held(mode);
        await file.CreateAsync([.. tags.Select((tag, index) => Make.Event($"id-{index}", 1, tag))]);

        for (var i = 0; i < tags.Length; i++)
        {
            var only = Assert.Single((await file.OrderedAsync(OrderedReading.Tagged(tags[i]))).Events());
            Assert.Equal($"id-{i}", only.PersistenceId);
            Assert.Equal([tags[i]], only.Tags);
        }
    }

    [Fact]
    public async Task All_tags_in_a_column_are_read_by_one_statement()
    {
        await using var file = new JournalFile(JournalTables.Sqlite);
        var tags = Held(TagMode.Csv);
        await file.CreateAsync([.. tags.Select((tag, index) => Make.Event($"id-{index}", 1, tag))]);

        var reads = await file.Database().OrderedAsync(OrderedReading.Of(TagMode.Csv, 10_000, [.. tags.Select(tag => OrderedReading.Tagged(tag))]));

        Assert.All(reads, (result, index) => Assert.Equal($"id-{index}", Assert.Single(result.Events()).PersistenceId));
    }

    [Theory]
    [InlineData("UTF-16le")]
    [InlineData("UTF-16be")]
    public async Task Tags_in_a_UTF_16_journal_are_the_same(string encoding)
    {
        await using var file = new JournalFile(JournalTables.Sqlite);
        file.Execute($"PRAGMA encoding = '{encoding}'; CREATE TABLE other (x)");
        var tags = Held(TagMode.Csv);
        await file.CreateAsync([.. tags.Select((tag, index) => Make.Event($"id-{index}", 1, tag))]);

        var reads = await file.Database().OrderedAsync(OrderedReading.Of(TagMode.Csv, 10_000, [.. tags.Select(tag => OrderedReading.Tagged(tag))]));
        var one = await file.OrderedAsync(OrderedReading.Tagged("größe"));

        Assert.All(reads, (result, index) => Assert.Equal($"id-{index}", Assert.Single(result.Events()).PersistenceId));
        Assert.Equal(["größe"], Assert.Single(one.Events()).Tags);
    }

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task A_case_insensitive_column_makes_no_difference(TagMode mode)
    {
        await using var file = new JournalFile(JournalTables.Default with { TagMode = mode });
        file.Execute(
            """
            CREATE TABLE tags (ordering_id BIGINT, tag NVARCHAR(64) COLLATE NOCASE, sequence_nr BIGINT, persistence_id NVARCHAR(255));
            CREATE INDEX tag_idx ON tags (tag, ordering_id);
            CREATE TABLE journal (ordering INTEGER PRIMARY KEY AUTOINCREMENT, deleted, persistence_id TEXT, sequence_number, created, message,
                identifier, manifest, writer_uuid, tags TEXT COLLATE NOCASE, UNIQUE (persistence_id, sequence_number));
            """);
        await file.CreateAsync(Make.Event("a", 1, "Blue"), Make.Event("b", 1, "blue"), Make.Event("c", 1, "blue", "other"));

        Assert.Equal([2, 3], (await file.OrderedAsync(OrderedReading.Tagged("blue"))).Orderings());
        Assert.Equal([1], (await file.OrderedAsync(OrderedReading.Tagged("Blue"))).Orderings());
        Assert.Empty((await file.OrderedAsync(OrderedReading.Tagged("BLUE"))).Events());
    }

    [Fact]
    public async Task A_tag_with_half_of_a_surrogate_pair_fails_only_its_own_query()
    {
        await using var file = new JournalFile();
        await file.CreateAsync(Make.Event("a", 1, "\ufffd"));

        var error = await Record.ExceptionAsync(() => file.OrderedAsync(OrderedReading.Tagged("\ud83d")));

        Assert.Equal(FaultKind.Unreadable, file.Database().Classify(error!));
    }

    private static string[] Held(TagMode mode) =>
        mode == TagMode.TagTable ? Tags : [.. Tags.Where(tag => tag.Length > 0 && !tag.Contains(';', StringComparison.Ordinal))];
}
