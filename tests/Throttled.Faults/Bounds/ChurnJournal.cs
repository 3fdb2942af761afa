namespace Throttled.Faults.Bounds;

/// <summary>The journal of the churn, and its writer.</summary>
internal sealed class ChurnJournal(JournalUnderTest journal, int ids)
{
    private const int Tags = 8;

    private readonly int[] _written = new int[ids];
    private int _next;

    internal int Ids => ids;

    internal long Events { get; private set; }

    internal static string Id(int key) => $"id-{key}";

    internal static string Tag(int key) => $"tag-{key % Tags}";

    /// <summary>Appends events of all ids in turn.</summary>
    internal async Task WriteAsync(int count)
    {
        var events = new JournalEvent[count];
        for (var i = 0; i < count; i++, _next = (_next + 1) % ids)
            events[i] = TestEvents.One(Id(_next), ++_written[_next]).With(Tag(_next));
        await journal.AppendAsync(events);
        Events += count;
    }

    /// <summary>Causes an outage: the table is missing until <see cref="RestoreAsync"/>.</summary>
    internal Task BreakAsync() => journal.ExecuteAsync($"ALTER TABLE {journal.Table} RENAME TO renamed");

    internal Task RestoreAsync() => journal.ExecuteAsync($"ALTER TABLE renamed RENAME TO {journal.Table}");
}
