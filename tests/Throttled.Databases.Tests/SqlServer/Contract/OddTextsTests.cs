namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>Names and texts that Babelfish cannot read. The contract leaves them out on Babelfish, and has them on SQL Server.</summary>
[Collection(OrdinalCollection.Name)]
public sealed class OddTextsTests(OrdinalSqlServerHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private static readonly string[] Escaped = ["\"quoted\"", "a\\b", "\\\\", "a\tb\nc", "\r", "\u0001", "\"", "\\u0041", "A", "/", "</script>", "事件\\", "🎫\""];

    [RealServerTheory("it does not parse a closing bracket within a name.")]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task A_closing_bracket_in_every_name_is_read_through(TagMode tags)
    {
        var journal = await NewJournalAsync(Layouts.Named("unusual names", tags) with
        {
            JournalTable = "a]b", OrderingColumn = "]", PersistenceIdColumn = "]]", SequenceNumberColumn = "[]", DeletedColumn = "];", TagTable = "]t[",
            TagColumn = "]tag", TagOrderingColumn = "]o",
        });
        var events = Selections.Mixed(0, 40);
        await journal.AppendAsync(events);
        var reader = journal.OpenReader(new() { MaxBufferSize = 6 });

        foreach (var selection in Enum.GetValues<Selection>())
            (await reader.AllAsync(selection, live: true, selection.Of(events).Count)).AreExactly(selection.Of(events));
        Assert.Equal(7, (await reader.CurrentPersistenceIds().AllAsync()).Count);
    }

    [RealServerTheory("it leaves texts that it takes from JSON as they are escaped there.")]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task A_text_that_is_escaped_in_JSON_is_found_as_an_id_and_as_a_tag(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        JournalEvent[] events = [.. Escaped.SelectMany(text => TestEvents.Of(text, 1, 3).Select(each => each.With(text)))];
        await journal.AppendAsync(events);
        var reader = journal.OpenReader(new() { MaxBufferSize = 2 });

        // Together, so that they share statements.
        var byId = await Task.WhenAll(Escaped.Select(text => reader.CurrentEventsByPersistenceId(text).AllAsync()));
        var byTag = await Task.WhenAll(Escaped.Select(text => reader.CurrentEventsByTag(text).AllAsync()));

        Assert.All(Escaped.Zip(byId), pair => Assert.Equal(TestEvents.Of(pair.First, 1, 3).Texts(), pair.Second.Texts()));
        Assert.All(Escaped.Zip(byTag), pair => Assert.Equal(TestEvents.Of(pair.First, 1, 3).Texts(), pair.Second.Texts()));
    }
}
