namespace Throttled.Databases.Tests.Contract;

/// <summary>Owns some ids, like persistent actors: it writes the next event of an id when the last one is committed.</summary>
internal sealed class HandOverWriter(JournalUnderTest journal, int seed, int number)
{
    private const int IdsOfEach = 4;

    private static readonly string[][] Tags = [[], [], [Selections.Tag], ["green", Selections.Tag]];

    private readonly Random _random = new(seed);
    private readonly Dictionary<string, List<JournalEvent>> _committed =
        Enumerable.Range(0, IdsOfEach).ToDictionary(i => $"writer-{number}-id-{i}", _ => new List<JournalEvent>());

    private int _attempts;

    internal IEnumerable<string> Ids => _committed.Keys;

    /// <summary>The events of each id in order, without orderings.</summary>
    internal IReadOnlyDictionary<string, List<JournalEvent>> Committed => _committed;

    internal async Task RunAsync(int transactions)
    {
        await using var appender = journal.OpenAppender();
        for (var i = 0; i < transactions; i++)
        {
            if (_random.Next(2) == 0)
                await AppendAsync(appender);
            else
                await TransactAsync();
            await PauseAsync(8);
        }
    }

    internal async Task EndAsync()
    {
        await using var appender = journal.OpenAppender();
        JournalEvent[] last = [.. _committed.Select(id => TestEvents.One(id.Key, id.Value.Count + 1, " the last").With(Selections.Tag))];
        await appender.AppendAsync(last);
        Commit(last);
    }

    private async Task AppendAsync(JournalAppender appender)
    {
        var events = Draw();
        await appender.AppendAsync(events);
        Commit(events);
    }

    // Stays open, so that others commit higher orderings first. Some transactions are rolled back.
    private async Task TransactAsync()
    {
        var events = Draw();
        await using var transaction = await journal.BeginAsync();
        foreach (var each in events)
        {
            await transaction.InsertAsync(each);
            await PauseAsync(6);
        }
        await PauseAsync(20);
        if (_random.Next(4) == 0)
            return;
        await transaction.CommitAsync();
        Commit(events);
    }

    private JournalEvent[] Draw()
    {
        var attempt = $" #{++_attempts}";
        return [.. _committed.Where(_ => _random.Next(2) == 0)
            .SelectMany(id => TestEvents.Of(id.Key, id.Value.Count + 1, _random.Next(1, 4), attempt))
            .DefaultIfEmpty(TestEvents.One(_committed.First().Key, _committed.First().Value.Count + 1, attempt))
            .Select(each => each.With(Tags[_random.Next(Tags.Length)]))];
    }

    private void Commit(IEnumerable<JournalEvent> events)
    {
        foreach (var each in events)
            _committed[each.PersistenceId].Add(each);
    }

    private Task PauseAsync(int milliseconds) =>
        Task.Delay(TimeSpan.FromMilliseconds(_random.Next(milliseconds)), TimeProvider.System);
}
