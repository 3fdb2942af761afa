using System.Data;
using Throttled.Journal.Relational;

namespace Throttled.Journal.Tests.Relational;

public class TagsOfRowsTests
{
    [Fact]
    public void Tags_of_an_event_come_together_and_unrequested_ones_are_left_out()
    {
        Assert.Equal(["0: a, b", "2: a", "0: c"], Given([(10, "a"), (10, "b"), (20, "x"), (30, "a"), (10, "c")], asked: [10, 15, 30]));
    }

    [Fact]
    public void No_rows_give_no_tags() => Assert.Empty(Given([], asked: [10]));

    private static List<string> Given((long Ordering, string Tag)[] rows, long[] asked)
    {
        using var table = new DataTable { Columns = { { "ordering", typeof(long) }, { "tag", typeof(string) } } };
        foreach (var (ordering, tag) in rows)
            table.Rows.Add(ordering, tag);
        List<string> given = [];
        var tags = new TagsOfRows(
            (row, column) => row.GetString(column),
            (place, of) => given.Add(FormattableString.Invariant($"{place}: {string.Join(", ", of)}")),
            ordering => Array.BinarySearch(asked, ordering));
        using var reader = table.CreateDataReader();
        while (reader.Read())
            Assert.True(tags.Take(reader));
        tags.Complete();
        return given;
    }
}
