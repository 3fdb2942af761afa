namespace Throttled.Testing;

/// <summary>The queries in journal order, so that a test is written once for all of them.</summary>
public static class Selections
{
    public const string Tag = "blue";

    public const int LastSlice = 511;

    // Some of these ids are in the selected slices.
    private static readonly string[] MixedIds = TestEvents.Ids("id", 7);

    private static readonly string[][] MixedTags =
        [[Tag], [], ["green", Tag], ["Blue"], [Tag, "blue-green", "x"], ["blu", "blues"], [Tag], ["green"], ["BLUE", "lightblue"]];

    /// <summary>Each selection in each tag mode.</summary>
    public static TheoryData<Selection, TagMode> InBothModes()
    {
        var data = new TheoryData<Selection, TagMode>();
        foreach (var selection in Enum.GetValues<Selection>())
        {
            data.Add(selection, TagMode.TagTable);
            data.Add(selection, TagMode.Csv);
        }
        return data;
    }

    /// <summary>Each selection in each tag mode, current and live.</summary>
    public static TheoryData<Selection, TagMode, bool> CurrentAndLive()
    {
        var data = new TheoryData<Selection, TagMode, bool>();
        foreach (var each in InBothModes())
        {
            data.Add((Selection)each[0], (TagMode)each[1], false);
            data.Add((Selection)each[0], (TagMode)each[1], true);
        }
        return data;
    }

    public static IAsyncEnumerable<JournalEvent> Read(this JournalReader reader, Selection selection, bool live, long after = 0) =>
        (selection, live) switch
        {
            (Selection.All, true) => reader.AllEvents(after),
            (Selection.All, false) => reader.CurrentAllEvents(after),
            (Selection.Tag, true) => reader.EventsByTag(Tag, after),
            (Selection.Tag, false) => reader.CurrentEventsByTag(Tag, after),
            (_, true) => reader.EventsBySlices(0, LastSlice, after),
            (_, false) => reader.CurrentEventsBySlices(0, LastSlice, after),
        };

    /// <summary>All events of a current query, or the given number of events of a live query.</summary>
    public static Task<List<JournalEvent>> AllAsync(this JournalReader reader, Selection selection, bool live, int count, long after = 0) =>
        live ? reader.Read(selection, live, after).FirstOrNoneAsync(count) : reader.Read(selection, live, after).AllAsync();

    public static bool Wants(this Selection selection, JournalEvent each) => selection switch
    {
        Selection.All => true,
        Selection.Tag => each.Tags.Contains(Tag, StringComparer.Ordinal),
        _ => JournalSlices.Of(each.PersistenceId) <= LastSlice,
    };

    /// <summary>The events that a selection wants, as texts.</summary>
    public static List<string> Of(this Selection selection, params IEnumerable<JournalEvent> events) =>
        [.. events.Where(each => selection.Wants(each)).Texts()];

    /// <summary>Events of several ids, with different tags. Each selection wants some of them.</summary>
    /// <param name="from">The number of such events that exist already.</param>
    public static JournalEvent[] Mixed(int from, int count) =>
        [.. Enumerable.Range(from, count).Select(i => TestEvents.One(MixedIds[i % 7], (i / 7) + 1).With(MixedTags[i % 9]))];

    /// <summary>The same event with other tags.</summary>
    public static JournalEvent With(this JournalEvent each, params string[] tags) => new()
    {
        PersistenceId = each.PersistenceId,
        SequenceNumber = each.SequenceNumber,
        Timestamp = each.Timestamp,
        Payload = each.Payload,
        SerializerId = each.SerializerId,
        Manifest = each.Manifest,
        Tags = tags,
    };

    /// <summary>The same event with an ordering.</summary>
    public static JournalEvent At(this JournalEvent each, long ordering) => new()
    {
        Ordering = ordering,
        PersistenceId = each.PersistenceId,
        SequenceNumber = each.SequenceNumber,
        Timestamp = each.Timestamp,
        Payload = each.Payload,
        SerializerId = each.SerializerId,
        Manifest = each.Manifest,
        Tags = each.Tags,
    };

    /// <summary>Asserts that these are all events, in this order and in journal order.</summary>
    public static void AreExactly(this IReadOnlyList<JournalEvent> found, IEnumerable<string> expected)
    {
        Assert.Equal(expected, found.Texts());
        Assert.All(found.Zip(found.Skip(1)), pair => Assert.True(pair.First.Ordering < pair.Second.Ordering, "Out of order."));
    }
}
