using Microsoft.Extensions.Logging;
using Throttled.Journal.Database;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tests.Pages;

public sealed class PageSchedulerTests
{
    [Fact]
    public void Queries_that_open_together_share_a_statement()
    {
        using var world = new World(options => options with { MaxConcurrentQueries = 1 });
        Open(world, 60);
        world.Settle();
        Assert.Equal(60, Assert.Single(world.Database.Of(CallKind.Pages)).Asks.Count);
    }

    [Fact]
    public void Queries_are_spread_over_the_free_permits()
    {
        using var world = new World(options => options with { MaxConcurrentQueries = 4 });
        Open(world, 40);
        world.Settle();
        Assert.Equal([10, 10, 10, 10], world.Database.Of(CallKind.Pages).Select(call => call.Asks.Count));
    }

    [Fact]
    public void Queries_that_wait_for_a_token_share_the_next_statement()
    {
        using var world = new World(options => options with { MaxConcurrentQueries = 10, MaxQueriesPerSecond = 1, Burst = 1 });
        Open(world, 60);
        world.Settle();
        Assert.Equal(60, Assert.Single(world.Database.Of(CallKind.Pages)).Asks.Count);
    }

    [Fact]
    public void Queries_that_a_full_statement_did_not_reach_are_next()
    {
        using var world = new World(options => options with
        {
            MaxConcurrentQueries = 1,
            MaxQueriesPerStatement = 3,
            MaxRowsPerStatement = 3,
        });
        var readers = Open(world, 6, events: 2);
        world.Settle();
        Assert.All(readers, reader => Assert.Equal([1, 2], reader.SequenceNumbers));
        Assert.Equal(["p0", "p1", "p2"], world.Database.Of(CallKind.Pages).First().Ids);
        Assert.Equal(["p2", "p3", "p4"], world.Database.Of(CallKind.Pages).ElementAt(1).Ids);
    }

    [Fact]
    public void Never_more_statements_run_than_there_are_permits()
    {
        using var world = new World(options => options with { MaxConcurrentQueries = 3, MaxQueriesPerStatement = 2 });
        world.IsHeld = call => call.IsPages;
        Open(world, 50);
        world.Settle();
        Assert.Equal((3, 3), (world.Database.RunningPages, world.Permits.Held));
    }

    [Fact]
    public void A_statement_that_other_queries_wait_for_is_not_cancelled()
    {
        using var world = new World(options => options with { MaxConcurrentQueries = 1 });
        world.IsHeld = call => call.IsPages;
        var readers = Open(world, 2, events: 1);
        world.Settle();
        readers[0].Dispose();
        world.Settle();
        Assert.Equal(1, world.Database.RunningPages);
        world.IsHeld = _ => false;
        world.Settle();
        Assert.Equal([1], readers[1].SequenceNumbers);
    }

    [Theory]
    [InlineData(100, LogLevel.Debug)]
    [InlineData(50, LogLevel.Information)]
    public void A_lower_server_limit_is_logged_at_Debug_unless_more_was_configured(int configured, LogLevel level)
    {
        using var world = new World(options => options with { MaxConcurrentQueries = configured });
        world.Database.Ceiling = 3;
        world.Open("p");
        world.Settle();
        Assert.Equal(level, Assert.Single(world.Log.LevelsOf(4)));
    }

    [Fact]
    public void The_log_says_once_how_many_connections_a_journal_may_use()
    {
        using var world = new World();
        world.Database.Budget = new(Usable: 97, Others: 2);
        world.Database.Ceiling = world.Database.Budget.Statements;
        world.Open("p");
        world.Settle();
        world.Database.IsDown = true;
        world.Advance(TimeSpan.FromSeconds(10));
        world.Database.IsDown = false;
        world.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(
            "The journal opens at most 46 of the 97 connections that the server gives to ordinary users: 44 for statements, and 2 more. 51 are left for writers, "
            + "other processes and operators. Change it with 'MaxConcurrentQueries', which is 100.",
            Assert.Single(world.Log.TextsOf(25)));
        Assert.Equal(LogLevel.Information, Assert.Single(world.Log.LevelsOf(25)));
    }

    [Theory]
    [InlineData(97, 44)]
    [InlineData(17, 6)]
    [InlineData(5, 1)]
    [InlineData(1, 1)]
    public void Two_processes_leave_connections_for_an_operator(int usable, int statements)
    {
        var budget = new ConnectionBudget(usable, Others: 2);
        Assert.Equal(statements, budget.Statements);
    }

    [Fact]
    public void The_server_s_ceiling_lowers_the_permits()
    {
        using var world = new World(options => options with { MaxConcurrentQueries = 8, MaxQueriesPerStatement = 1 });
        world.Database.Ceiling = 2;
        world.IsHeld = call => call.IsPages;
        Open(world, 20);
        world.Settle();
        Assert.Equal(2, world.Database.RunningPages);
        Assert.Equal(1, world.Log.CountOf(4));
    }

    [Fact]
    public void A_long_wait_is_warned_about_and_goes_on()
    {
        using var world = new World(options => options with { MaxConcurrentQueries = 1, MaxQueriesPerStatement = 1 });
        world.IsHeld = call => call.IsPages;
        var readers = Open(world, 2, events: 1);
        world.Advance(TimeSpan.FromSeconds(65));
        Assert.InRange(world.Log.CountOf(7), 1, 2);
        world.IsHeld = _ => false;
        world.Settle();
        Assert.All(readers, reader => Assert.Equal([1], reader.SequenceNumbers));
    }

    [Fact]
    public void A_page_is_delivered_after_its_permit_is_returned()
    {
        using var world = new World();
        world.Journal.Append("p", 1, 1);
        var reader = new PermitReader(world);
        world.Engine.Open(new ByIdQuery("p", new(0, 1), IsLive: false), reader).Demand();
        world.Settle();
        Assert.Equal([0], reader.Held);
    }

    internal static List<PolledReader> Open(World world, int count, int events = 0)
    {
        for (var i = 0; i < count && events > 0; i++)
            world.Journal.Append($"p{i}", 1, events);
        List<PolledReader> readers = [.. Enumerable.Range(0, count).Select(i => world.OpenCurrent($"p{i}"))];
        foreach (var reader in readers)
            reader.Step();
        return readers;
    }

    internal static List<string> FirstServed(World world) =>
        [.. world.Database.Of(CallKind.Pages).SelectMany(call => call.Ids).Distinct()];

    /// <summary>Notes how many permits are in use when its pages come.</summary>
    private sealed class PermitReader(World world) : IPageReader<JournalEvent>
    {
        internal List<int> Held { get; } = [];

        public void Receive(Page<JournalEvent> page) => Held.Add(world.Permits.Held);

        public void Complete()
        {
        }

        public void Fail(Exception error) => Assert.Fail(error.ToString());
    }
}
