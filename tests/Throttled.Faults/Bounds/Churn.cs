namespace Throttled.Faults.Bounds;

/// <summary>Very many places with a query each. A query is left in any state and replaced by another.</summary>
internal sealed class Churn(JournalReader reader, ChurnJournal journal, int places, int seed)
{
    private readonly Random _random = new(seed);
    private readonly ChurnRun?[] _runs = new ChurnRun?[places];
    private int _open;
    private Exception? _wrong;

    /// <summary>The number of queries that were opened so far.</summary>
    internal int Opened { get; private set; }

    /// <summary>The number of runs that have not ended.</summary>
    internal int Open => Volatile.Read(ref _open);

    /// <summary>Leaves the queries of some places and opens others in their place.</summary>
    internal void Reopen(int count)
    {
        for (var i = 0; i < count; i++)
            Reopen(_random.Next(places), ChurnFate.Draw(_random, journal.Ids, journal.Events));
    }

    /// <summary>Opens a live query in each place; these are not left.</summary>
    internal void FillWithLive()
    {
        for (var i = 0; i < places; i++)
        {
            var fate = ChurnFate.Draw(_random, journal.Ids, journal.Events);
            Reopen(i, fate with { IsLive = true, Stay = ChurnStay.ReadsOn });
        }
    }

    /// <summary>Leaves all queries.</summary>
    internal async Task LeaveAsync()
    {
        foreach (var run in _runs)
            run?.Leave();
        Array.Clear(_runs);
        await Wait.UntilAsync(() => Open == 0 || _wrong is not null, () => $"the end of {Open} queries that were left");
        Check();
    }

    /// <summary>Waits until at most a random number of queries is in the queue: sometimes none, sometimes nearly all.</summary>
    internal async Task LetSomeThroughAsync()
    {
        var most = places * _random.Next(4) / 8;
        await UntilAsync(books => books.Queued <= most);
    }

    /// <summary>Waits until all queries have all events.</summary>
    internal Task LetAllThroughAsync() => UntilAsync(books => books is { Queued: 0, Running: 0, Retries: 0 });

    internal void Check() => Assert.Null(_wrong);

    private async Task UntilAsync(Func<EngineBooks, bool> isTrue)
    {
        var books = EngineBooks.Empty;
        await Wait.UntilAsync(
            async () => isTrue(books = await EngineBooks.OfAsync(reader)) || _wrong is not null,
            () => $"queries that get on; {books}", TimeSpan.FromMinutes(5));
        Check();
    }

    private void Reopen(int place, ChurnFate fate)
    {
        _runs[place]?.Leave();
        var run = _runs[place] = new(fate);
        Opened++;
        Interlocked.Increment(ref _open);
        _ = FollowAsync(run);
    }

    private async Task FollowAsync(ChurnRun run)
    {
        try
        {
            await run.ReadAsync(reader);
        }
        catch (Exception error)
        {
            _wrong ??= error;
        }
        Interlocked.Decrement(ref _open);
    }
}
