using Throttled.Journal.Database;

namespace Throttled.Journal.Tests.Faults;

public sealed class CulpritTests
{
    [Fact]
    public void A_query_that_always_fails_does_not_fail_others()
    {
        using var world = new World();
        world.Journal.Append("good", 1, 1);
        world.Open("good");
        world.Advance(TimeSpan.FromSeconds(2));
        world.Database.Fault = call => call.IsPages && call.Ids.Contains("bad") ? new ScriptedFault(FaultKind.Fatal) : null;
        var bad = world.Open("bad");
        var others = Enumerable.Range(0, 50).Select(i => world.OpenCurrent($"x{i}")).ToList();
        world.AdvanceUntil(() => others.TrueForAll(other => other.IsCompleted), seconds: 20);
        Assert.False(bad.HasEnded);
        world.Advance(TimeSpan.FromMinutes(2));
        Assert.Contains("'bad'", Assert.IsType<JournalException>(bad.Failure).Message, StringComparison.Ordinal);
        world.Journal.Append("good", 2, 2);
        world.AdvanceUntil(() => world.Readers[0].Events.Count == 2, seconds: 10);
    }

    [Fact]
    public void A_tail_that_always_fails_ends_the_queries_that_follow_with_a_reason()
    {
        using var world = new World();
        var reader = world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Fault = call => call.Kind == CallKind.Keys ? new ScriptedFault(FaultKind.Fatal) : null;
        world.Advance(TimeSpan.FromSeconds(50));
        Assert.Null(reader.Failure);
        Assert.Equal("The journal cannot be read (scripted: Fatal). Queries wait and try again, until 'FatalErrorGracePeriod' has passed.", Assert.Single(world.Log.TextsOf(1)));
        Assert.Equal((0, 0), (world.Log.CountOf(16), world.Log.CountOf(23)));
        world.Advance(TimeSpan.FromSeconds(20));
        Assert.IsType<JournalException>(reader.Failure);
        Assert.Equal((1, 1, 0), (world.Log.CountOf(1), world.Log.CountOf(23), world.Log.CountOf(2)));
    }

    [Fact]
    public void A_tail_that_fails_for_a_while_logs_the_beginning_and_the_end()
    {
        using var world = new World();
        var reader = world.Open("p");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Fault = call => call.Kind == CallKind.Keys ? new ScriptedFault(FaultKind.Fatal) : null;
        world.Advance(TimeSpan.FromSeconds(30));
        world.Database.Fault = null;
        world.Advance(TimeSpan.FromSeconds(10));
        Assert.Null(reader.Failure);
        Assert.Equal((1, 1, 0), (world.Log.CountOf(1), world.Log.CountOf(2), world.Log.CountOf(23)));
    }

    [Fact]
    public void Statements_from_before_an_outage_do_not_begin_a_new_one()
    {
        using var world = new World(options => options with { MaxConcurrentQueries = 2, MaxQueriesPerStatement = 1 })
        {
            IsHeld = call => call.IsPages,
        };
        world.OpenCurrent("a");
        world.OpenCurrent("b");
        world.Settle();
        var late = world.Database.Pending.Last(call => call.IsPages);
        world.Database.Fail(world.Database.Pending.First(call => call.IsPages), FaultKind.ConnectionLost);
        world.Advance(TimeSpan.FromSeconds(5));
        world.Database.Fail(late, FaultKind.ConnectionLost);
        world.Settle();
        Assert.Equal(1, world.Log.CountOf(1));
    }

    [Fact]
    public void Only_the_outage_counts_towards_the_timeout_of_a_current_query()
    {
        using var world = new World(options => options with
        {
            CurrentQueryTimeout = TimeSpan.FromSeconds(10),
            MaxConcurrentQueries = 1,
            MaxQueriesPerStatement = 1,
        });
        world.IsHeld = call => call.IsPages;
        world.OpenCurrent("a");
        var waiting = world.OpenCurrent("b");
        world.Advance(TimeSpan.FromSeconds(20));
        world.Database.Fault = call => call.Kind == CallKind.Probe ? new ScriptedFault(FaultKind.ConnectionLost) : null;
        world.Database.Fail(world.Database.Pending[0], FaultKind.ConnectionLost);
        world.Advance(TimeSpan.FromSeconds(5));
        Assert.Null(waiting.Failure);
        world.Advance(TimeSpan.FromSeconds(10));
        Assert.IsType<JournalException>(waiting.Failure);
    }

    [Fact]
    public void At_first_only_a_few_statements_run_at_once()
    {
        using var world = new World(options => options with { MaxQueriesPerStatement = 1 });
        world.IsHeld = call => call.IsPages;
        for (var i = 0; i < 60; i++)
        {
            world.OpenCurrent($"p{i}").Step();
            world.Settle();
        }
        Assert.Equal(8, world.Database.RunningPages);
        world.IsHeld = _ => false;
        world.AdvanceUntil(() => world.Readers.All(reader => reader.IsCompleted));
    }
}
