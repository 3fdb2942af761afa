using Throttled.Journal;
using Throttled.Testing;

namespace Throttled.Faults.Rewound;

/// <summary>Queries that are opened anew, from where the journal as it was and as it is agree.</summary>
internal static class Anew
{
    /// <summary>Each gives what stands behind the position, and what is written from now on.</summary>
    /// <param name="journal">The journal as it is.</param>
    /// <param name="reader">The reader whose queries have ended.</param>
    /// <param name="after">The position.</param>
    /// <param name="there">What stands behind it.</param>
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
