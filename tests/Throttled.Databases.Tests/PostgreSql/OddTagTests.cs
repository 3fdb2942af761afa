using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>A tag is compared character by character, whatever it means in a pattern, a collation or a quoted text.</summary>
public class OddTagTests
{
    private static readonly string[] Odd =
    [
        "Blue", "blue", " blue", "blue ", "b%e", "%", "b_ue", "_", @"b\ue", @"\", @"b\%e", "bl'ue", "bl\"ue", "$1", "--", "b,e", "{b}", "bleu", "blé", "ble\u0301",
        "😀", "😁", "日本語", "ß", "ss", "i", "ı", new('x', 64), new('x', 63),
    ];

    public static TheoryData<TagMode, string?> Journals => new()
    {
        { TagMode.TagTable, null },
        { TagMode.Csv, null },
        // In this collation 'Blue' and 'blue' are equal.
        { TagMode.TagTable, "ignore_case" },
        { TagMode.Csv, "ignore_case" },
    };

    [PostgreSqlTheory]
    [MemberData(nameof(Journals))]
    public async Task Events_with_a_tag_are_found_and_no_others(TagMode mode, string? collation)
    {
        await using var journal = await CreateAsync(JournalTables.Default with { TagMode = mode });
        if (collation is not null)
            await CollateAsync(journal, mode);
        string[] tags = mode == TagMode.TagTable ? [.. Odd, ";", "a;b"] : Odd;
        await journal.AppendAsync([.. tags.Select((tag, i) => Event("a", i + 1, tag)), Event("b", 1, "other"), Event("b", 2)]);
        for (var i = 0; i < tags.Length; i++)
            Assert.Equal(i + 1, Assert.Single(await journal.TaggedAsync(tags[i])));
    }

    [PostgreSqlFact]
    public async Task A_separator_may_be_a_wildcard_of_LIKE()
    {
        foreach (var separator in "%_\\'")
        {
            await using var journal = await CreateAsync(JournalTables.PostgreSql with { TagSeparator = separator });
            await journal.AppendAsync(Event("a", 1, "x"), Event("a", 2, "xy", "z"), Event("a", 3, "y", "x"));
            Assert.Equal("1 3", string.Join(' ', await journal.TaggedAsync("x")));
        }
    }

    [PostgreSqlFact]
    public async Task A_tag_that_the_column_cannot_store_has_no_events()
    {
        await using var journal = await CreateAsync(JournalTables.PostgreSql);
        await journal.AppendAsync(Event("a", 1, "x", "y"), Event("a", 2));
        Assert.Empty(await journal.TaggedAsync("x;y"));
        Assert.Empty(await journal.TaggedAsync(""));
    }

    private static async Task CollateAsync(TestJournal journal, TagMode mode)
    {
        await journal.ExecuteAsync(
            "CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level1', deterministic = false)");
        var column = mode == TagMode.TagTable ? "tags ALTER tag TYPE varchar(64)" : "journal ALTER tags TYPE varchar(2000)";
        await journal.ExecuteAsync($"ALTER TABLE {column} COLLATE ignore_case");
    }
}
