using Throttled.Testing.Scripted;

namespace Throttled.Journal.Tests;

/// <summary>The start of a reader that wants every event that commits from now on.</summary>
public sealed class NowSearchTests
{
    private const long Above = 90;
    private const long End = 100;

    private readonly FakeClock _clock = new();
    private readonly Queue<RecentOrderings> _reads = new();
    private int _read;

    [Fact]
    public async Task Without_open_transactions_it_is_the_end()
    {
        Reads(Missing(95).Open());
        Assert.Equal((End, 1), (await FindAsync(), _read));
    }

    [Fact]
    public async Task Without_missing_orderings_it_is_the_end()
    {
        Reads(Missing().Open("1"));
        Assert.Equal((End, 1), (await FindAsync(), _read));
    }

    [Fact]
    public async Task Missing_orderings_that_are_never_committed_do_not_count()
    {
        Reads(Missing(95).Open("1", "2"), Missing(95).Open("2"), Missing(95).Open("3"), Missing(95).Open("3"));
        Assert.Equal((End, 4), (await FindAsync(), _read));
    }

    [Fact]
    public async Task It_is_below_what_open_transactions_commit_meanwhile()
    {
        Reads(Missing(93, 95, 97).Open("1"), Missing(93, 95).Open("1"), Missing(93).Open("1"), Missing(93).Open(), Missing(93).Open());
        Assert.Equal(94, await FindAsync());
    }

    [Fact]
    public async Task An_event_that_commits_between_the_orderings_and_the_open_transactions_of_a_read_is_not_lost()
    {
        Reads(Missing(95).Open("1"), Missing(95).Open(), Missing().Open());
        Assert.Equal(94, await FindAsync());
    }

    [Fact]
    public async Task A_long_transaction_is_not_waited_for_and_none_of_its_orderings_is_passed()
    {
        Reads(Missing(93, 95).Open("1"));
        Assert.Equal(92, await FindAsync());
        Assert.InRange(_clock.Now, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1.1));
    }

    [Fact]
    public async Task Without_known_transactions_missing_orderings_are_waited_for_as_queries_do()
    {
        Reads(Missing(93, 95).Unknown(), Missing(93).Unknown());
        Assert.Equal(94, await FindAsync());
        Assert.InRange(_clock.Now, TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(10.1));
    }

    [Fact]
    public async Task An_ordering_that_is_too_far_below_the_end_to_be_read_again_counts_as_committed()
    {
        Reads(Missing(93, 95).Open("1"), new(120, 94, new HashSet<long> { 95 }, new HashSet<string>()));
        Assert.Equal(92, await FindAsync());
    }

    private void Reads(params RecentOrderings[] reads)
    {
        foreach (var read in reads)
            _reads.Enqueue(read);
    }

    private async Task<long> FindAsync()
    {
        var finding = new NowSearch(Read, new() { TimeProvider = _clock }).FindAsync(default);
        await Wait.UntilAsync(
            () =>
            {
                for (var step = 0; step < 100 && !finding.IsCompleted && _clock.Set > 0; step++)
                    _clock.Advance(TimeSpan.FromMilliseconds(20));
                return finding.IsCompleted;
            },
            "the start");
        return await finding;
    }

    // The last one is repeated.
    private Task<RecentOrderings> Read(CancellationToken cancellation)
    {
        _read++;
        return Task.FromResult(_reads.Count > 1 ? _reads.Dequeue() : _reads.Peek());
    }

    private static Orderings Missing(params long[] missing) => new(missing);

    private sealed record Orderings(long[] Missing)
    {
        internal RecentOrderings Open(params string[] transactions) => new(End, Above, Missing.ToHashSet(), transactions.ToHashSet());

        internal RecentOrderings Unknown() => new(End, Above, Missing.ToHashSet(), null);
    }
}
