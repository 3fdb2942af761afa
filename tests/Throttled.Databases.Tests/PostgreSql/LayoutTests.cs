using System.Text;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class LayoutTests
{
    public static TheoryData<string, TagMode> Layouts
    {
        get
        {
            var data = new TheoryData<string, TagMode>();
            foreach (var layout in (string[])["default", "sqlite", "postgresql", "mysql", "sql-server"])
            {
                data.Add(layout, TagMode.TagTable);
                data.Add(layout, TagMode.Csv);
            }

            return data;
        }
    }

    [PostgreSqlTheory]
    [MemberData(nameof(Layouts))]
    public async Task Every_read_finds_its_columns_in_every_layout(string layout, TagMode mode)
    {
        var tables = Named(layout) with { TagMode = mode };
        await using var journal = await CreateAsync(tables);
        await journal.AppendAsync(Event("a", 1, "x"), Event("b", 1), Event("a", 2, "y", "x"));
        Assert.Equal([1, 3], (await journal.TaggedAsync("x")).AsEnumerable());
        Assert.Equal(2, Assert.Single(await journal.ReadAsync(Ask("a")))!.Value.LastRow);
        var all = await journal.ReadOrderedAsync(new(10, long.MaxValue, false), new OrderedRequest(EventFilter.All, 0, 9, 10));
        Assert.Equal([1, 2, 3], Events(all.Results[0]).Select(row => row.Ordering));
        var ids = new IdsRows(null, 10, new ByteBudget(long.MaxValue));
        await journal.Database.ReadIdsAsync(ids, default);
        ids.Complete();
        Assert.Equal((2, "b"), (ids.Result.Page!.Count, ids.Result.Last));
        var result = await journal.Database.ReadKeysAsync(new(1, [new(1, 1)], 9) { WithTags = true, WithOpenTransactions = true }, default);
        Assert.Equal((3, 1, 2), (result.Above.Count, result.Late.Count, result.Tags.Count));
        Assert.Empty(result.OpenTransactions!);
        Assert.Null((await journal.Database.ProbeAsync(default)).TagWarning);
    }

    [PostgreSqlTheory]
    [InlineData("json", """{"b": 1,  "a":"é😀"}""", """{"b": 1,  "a":"é😀"}""")]
    [InlineData("jsonb", """{"b": 1,  "a":"é😀"}""", """{"a": "é😀", "b": 1}""")]
    public async Task A_json_payload_is_read_as_UTF_8_text(string type, string written, string read)
    {
        await using var journal = await CreateAsync(JournalTables.PostgreSql);
        await journal.ExecuteAsync(
            $"ALTER TABLE event_journal ALTER payload TYPE {type} USING NULL; INSERT INTO event_journal(is_deleted, persistence_id, sequence_nr, created_at, payload, tags) "
            + $"VALUES (false, 'a', 1, 0, '{written}', ';x;')");
        var byId = Assert.Single(await journal.ReadAsync(Ask("a")))!.Value.Page![0]!;
        var tagged = await journal.ReadOrderedAsync(new(10, long.MaxValue, false), new OrderedRequest(new() { Tag = "x" }, 0, 9, 10));
        var (rows, tail) = (Rows([1]), Rows([]));
        await journal.Database.ReadRowsAsync(rows, default);
        await journal.Database.ReadKeysAsync(new(0, [], 9) { Rows = tail }, default);
        JournalEvent[] all = [byId, Events(tagged.Results[0]).Single(), rows.Events.Single(), tail.Events.Single()];
        Assert.All(all, row => Assert.Equal((read, null), (Encoding.UTF8.GetString(row.Payload.Span), row.SerializerId)));
    }

    private static TailRows Rows(IReadOnlyList<long> orderings) => new(orderings, new ByteBudget(long.MaxValue));

    private static JournalTables Named(string layout) => layout switch
    {
        "default" => JournalTables.Default,
        "sqlite" => JournalTables.Sqlite,
        "postgresql" => JournalTables.PostgreSql,
        "mysql" => JournalTables.MySql,
        _ => JournalTables.SqlServer,
    };
}
