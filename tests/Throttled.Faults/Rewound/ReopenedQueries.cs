namespace Throttled.Faults.Rewound;

/// <summary>Queries that are opened again, from the last position that the old and the new journal have in common.</summary>
internal static class ReopenedQueries
{
    /// <summary>Asserts that each query delivers the events after the position, and new events.</summary>
    /// <param name="journal">The journal.</param>
    /// <param name="reader">The reader whose queries have ended.</param>
    /// <param name="after">The position.</param>
    /// <param name="there">The events after the position.</param>
    internal static async Task CheckAsync(JournalUnderTest journal, JournalReader reader, long after, JournalEvent[] there)
    {
        JournalEvent[] more = [.. TestEvents.Of("more", 1, 5).Select(each => each.With(Selections.Tag))];
        await journal.AppendAsync(more);
        foreach (var selection in Enum.GetValues<Selection>())
        {
            var expected = selection.Of([.. there, .. more]);
            (await reader.Read(selection, live: true, after).FirstOrNoneAsync(expected.Count)).AreExactly(expected);
            (await reader.Read(selection, live: false, after).AllAsync()).AreExactly(expected);
        }
        var ids = await reader.CurrentPersistenceIds().AllAsync();
        Assert.Equal(ids.Order(), (await reader.PersistenceIds().FirstAsync(ids.Count)).Order());
        foreach (var id in ids)
        {
            var expected = there.Concat(more).Where(each => each.PersistenceId == id).Texts().ToList();
            Assert.Equal(expected, (await reader.Events(live: false, id).AllAsync()).Texts().TakeLast(expected.Count));
        }
    }
}
