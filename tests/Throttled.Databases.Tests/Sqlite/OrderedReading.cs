using Throttled.Journal.Pages;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Sqlite.Tests;

/// <summary>Short ways to read in the order of the journal.</summary>
internal static class OrderedReading
{
    internal static OrderedAsk All(long after = 0, long through = long.MaxValue, int limit = 1000) =>
        new(EventFilter.All, after, through, limit);

    internal static OrderedAsk Tagged(string tag, long after = 0, long through = long.MaxValue, int limit = 1000) =>
        new(new() { Tag = tag }, after, through, limit);

    internal static OrderedStatement Of(TagMode mode, int maxRows, params OrderedAsk[] asks) =>
        new(
            asks,
            new(maxRows, long.MaxValue, TagsComeLater: asks[0].Filter.Tag is not null && mode == TagMode.TagTable),
            new ByteBudget(long.MaxValue));

    internal static async Task<OrderedRead> OrderedAsync(this JournalFile file, OrderedAsk ask, int maxRows = 10_000) =>
        (await file.Database().OrderedAsync(Of(file.Tables.TagMode, maxRows, ask)))[0];

    internal static async Task<IReadOnlyList<OrderedRead>> OrderedAsync(this SqliteDatabase database, OrderedStatement statement)
    {
        await database.ReadOrderedAsync(statement, CancellationToken.None);
        statement.Complete();
        return statement.Reads;
    }

    /// <summary>Reads page after page, as a feed does.</summary>
    internal static async Task<List<JournalEvent>> ByPagesAsync(this JournalFile file, OrderedAsk ask, int maxRows)
    {
        var database = file.Database();
        List<JournalEvent> all = [];
        OrderedRead read;
        do
        {
            read = (await database.OrderedAsync(Of(file.Tables.TagMode, maxRows, ask)))[0];
            all.AddRange(read.Events());
            ask = ask with { After = read.Through };
        }
        while (read.MoreMayFollow);
        return all;
    }

    internal static List<JournalEvent> Events(this OrderedRead read) => Make.Items(read.Page);

    internal static IEnumerable<long> Orderings(this OrderedRead read) => read.Events().Select(each => each.Ordering);
}
