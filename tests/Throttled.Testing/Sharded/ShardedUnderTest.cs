namespace Throttled.Testing;

/// <summary>The journals of a test that are the shards of one journal.</summary>
/// <param name="map">The slices of each shard.</param>
/// <param name="journals">One journal for each shard; the test disposes them.</param>
public sealed class ShardedUnderTest(ShardMap map, params IReadOnlyList<JournalUnderTest> journals) : IAsyncDisposable
{
    /// <summary>
    /// Three shards, each with two or three of the seven ids of <see cref="Selections.Mixed"/>. The second shard has the
    /// highest slices.
    /// </summary>
    public static ShardMap OfMixed { get; } = Divide([.. TestEvents.Ids("id", 7).Select(JournalSlices.Of).Order()]);

    private readonly List<IAsyncDisposable> _opened = [];

    private JournalAppender? _appender;

    public ShardMap Map => map;

    public IReadOnlyList<JournalUnderTest> Journals => journals;

    private JournalAppender Appender => _appender ??= OpenAppender();

    public JournalReader OpenReader(JournalOptions? options = null) =>
        Own(ShardedJournal.OpenReader(journals, (journal, given) => journal.OpenReader(given), options, map));

    public JournalAppender OpenAppender() => Own(ShardedJournal.OpenAppender(journals, (journal, _) => journal.OpenAppender(), map: map));

    /// <summary>Creates and marks all shards.</summary>
    public async Task<ShardedUnderTest> CreateAsync()
    {
        await Appender.CreateAsync();
        // Grants readers their rights on the existing tables.
        foreach (var journal in journals)
            await journal.CreateAsync();
        return this;
    }

    public Task AppendAsync(params IReadOnlyCollection<JournalEvent> events) => Appender.AppendAsync(events);

    /// <summary>The events that are in a shard.</summary>
    public IEnumerable<JournalEvent> In(int shard, IEnumerable<JournalEvent> events) =>
        events.Where(each => map.ShardOf(each.PersistenceId) == shard);

    /// <summary>Asserts that these are all events, those of each shard in this order and in journal order.</summary>
    public void AreExactly(IReadOnlyList<JournalEvent> found, IEnumerable<JournalEvent> expected)
    {
        for (var shard = 0; shard < map.Count; shard++)
            In(shard, found).ToList().AreExactly(In(shard, expected).Texts());
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (var opened in Enumerable.Reverse(_opened))
            await opened.DisposeAsync();
    }

    private static ShardMap Divide(int[] slices) => ShardMap.Parse(
        FormattableString.Invariant($"0-{slices[2] - 1},{slices[4]}-{JournalSlices.Count - 1},{slices[2]}-{slices[4] - 1}"));

    private T Own<T>(T opened)
        where T : IAsyncDisposable
    {
        _opened.Add(opened);
        return opened;
    }
}
