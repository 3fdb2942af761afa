using Microsoft.Extensions.Logging;
using Throttled.Journal.Database;
using Throttled.Journal.Tests.Pages;

namespace Throttled.Journal.Tests.Faults;

public sealed class CircuitBreakerTests
{
    [Fact]
    public void During_an_outage_one_probe_runs_at_a_time_and_no_reader_fails()
    {
        using var world = new World(options => options with { MaxConcurrentQueries = 4 });
        world.Database.Fault = _ => new ScriptedFault(FaultKind.ConnectionLost);
        var readers = PageSchedulerTests.Open(world, 100, events: 1);
        world.Advance(TimeSpan.FromMinutes(1));
        Assert.All(world.Database.Calls, call => Assert.Equal(CallKind.Probe, call.Kind));
        Assert.InRange(world.Database.CallCount, 10, 40);
        world.Database.Fault = null;
        world.AdvanceUntil(() => readers.All(reader => reader.IsCompleted), seconds: 10);
        Assert.All(readers, reader => Assert.Equal([1], reader.SequenceNumbers));
        Assert.Equal((1, 1), (world.Log.CountOf(1), world.Log.CountOf(2)));
    }

    [Fact]
    public void Idle_live_queries_survive_an_outage_of_many_probes()
    {
        using var world = new World();
        var reader = world.Open("p");
        world.Settle();
        world.Database.Fault = _ => new ScriptedFault(FaultKind.ConnectionLost);
        world.Advance(TimeSpan.FromMinutes(5));
        world.Database.Fault = null;
        world.Journal.Append("p", 1, 3);
        world.AdvanceUntil(() => reader.Events.Count == 3, seconds: 10);
    }

    [Fact]
    public void Statements_that_fail_together_do_not_delay_the_first_probe()
    {
        using var world = Running(out _);
        foreach (var call in world.Database.Pending.ToList())
            world.Database.Fail(call, FaultKind.ConnectionLost);
        world.Settle();
        var probes = world.Database.Of(CallKind.Probe).Count();
        world.Advance(TimeSpan.FromMilliseconds(100));
        Assert.Equal(probes + 1, world.Database.Of(CallKind.Probe).Count());
    }

    [Fact]
    public void A_statement_from_before_the_outage_that_succeeds_brings_no_probe_forward()
    {
        using var world = Running(out _);
        world.Database.Fail(world.Database.Pending[0], FaultKind.ConnectionLost);
        world.Database.Fault = call => call.Kind == CallKind.Probe ? new ScriptedFault(FaultKind.ConnectionLost) : null;
        world.IsHeld = call => call.IsPages;
        world.Advance(TimeSpan.FromMinutes(1));
        var probes = world.Database.Of(CallKind.Probe).Count();
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(10));
        Assert.InRange(world.Database.Of(CallKind.Probe).Count() - probes, 1, 4);
    }

    [Fact]
    public void No_probe_runs_for_queries_that_were_disposed()
    {
        using var world = Running(out var readers);
        world.Database.Fail(world.Database.Pending[0], FaultKind.Transient);
        world.Database.Fault = _ => new ScriptedFault(FaultKind.ConnectionLost);
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromSeconds(1));
        readers.ForEach(reader => reader.Dispose());
        world.Advance(TimeSpan.FromSeconds(10));
        var calls = world.Database.CallCount;
        world.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(calls, world.Database.CallCount);
    }

    [Fact]
    public void Queries_wait_for_a_missing_table_with_one_warning_if_it_lasts()
    {
        using var world = new World();
        world.Database.Fault = call => call.Kind == CallKind.Probe ? null : new ScriptedFault(FaultKind.MissingTable);
        var reader = world.Open("p");
        world.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal([LogLevel.Information], world.Log.LevelsOf(3));
        world.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal([LogLevel.Information, LogLevel.Warning], world.Log.LevelsOf(3));
        world.Database.Fault = null;
        world.Journal.Append("p", 1, 1);
        world.AdvanceUntil(() => reader.Events.Count == 1, seconds: 10);
        world.Database.Fault = _ => new ScriptedFault(FaultKind.MissingTable);
        world.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal([LogLevel.Information, LogLevel.Warning, LogLevel.Information], world.Log.LevelsOf(3));
    }

    [Theory]
    [InlineData("events", "Create it, or correct 'JournalTable' or 'Schema'.")]
    [InlineData("app.events", "Create it, or correct 'JournalTable', which is app.events: the schema, before the dot, goes into 'Schema'.")]
    public void The_warning_names_the_settings_to_correct(string table, string remedy)
    {
        using var world = new World(options => options with { Tables = new() { JournalTable = table } });
        world.Database.Fault = _ => new ScriptedFault(FaultKind.MissingTable, "gone");
        world.Open("p");
        world.Settle();
        Assert.Equal(
            $"The journal table \"{table}\" is not there (gone). Queries wait until this is fixed; 'RequireTable' makes them fail instead. {remedy}",
            Assert.Single(world.Log.TextsOf(3)));
    }

    [Fact]
    public void A_required_table_that_is_missing_fails_queries()
    {
        using var world = new World(options => options with { RequireTable = true });
        world.Database.Fault = _ => new ScriptedFault(FaultKind.MissingTable);
        var (live, current) = (world.Open("p"), world.OpenCurrent("q"));
        world.Settle();
        Assert.IsType<JournalException>(live.Failure);
        Assert.IsType<JournalException>(current.Failure);
    }

    [Fact]
    public void A_fatal_error_before_the_first_success_fails_queries_at_once()
    {
        using var world = new World();
        world.Database.Fault = call => call.Kind == CallKind.Probe ? null : new ScriptedFault(FaultKind.Fatal, "no right to read");
        var reader = world.OpenCurrent("p");
        world.Settle();
        Assert.Contains("no right to read", Assert.IsType<JournalException>(reader.Failure).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_permanent_error_is_logged_once_as_an_error()
    {
        using var world = new World();
        world.Database.Address = "database 'app' on db:5432 as user 'reader'";
        world.Database.Fault = _ => new ScriptedFault(FaultKind.Fatal, "no\nsuch role.");
        var reader = world.Open("p");
        world.Settle();
        Assert.Equal(
            "The journal cannot be read from database 'app' on db:5432 as user 'reader': no such role.", Assert.IsType<JournalException>(reader.Failure).Message);
        world.Open("q");
        world.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(
            "The journal cannot be read from database 'app' on db:5432 as user 'reader' (no such role). Waiting does not help, so all waiting queries fail. Each later query tries again.",
            Assert.Single(world.Log.TextsOf(23)));
        Assert.Equal((LogLevel.Error, 0), (Assert.Single(world.Log.LevelsOf(23)), world.Log.CountOf(1)));
    }

    [Theory]
    [InlineData(false, "The journal cannot be read (gone). Queries wait and try again.", 0)]
    [InlineData(true, "The journal cannot be read (gone). Queries wait and try again, until 'FatalErrorGracePeriod' has passed.", 1)]
    public void The_outage_warning_says_how_long_queries_wait(bool isFatal, string warning, int errors)
    {
        using var world = new World();
        world.Open("p");
        world.Settle();
        world.Database.Fault = _ => new ScriptedFault(isFatal ? FaultKind.Fatal : FaultKind.ConnectionLost, "gone.");
        world.Open("q");
        world.Advance(TimeSpan.FromSeconds(50));
        Assert.Equal((warning, 0), (Assert.Single(world.Log.TextsOf(1)), world.Log.CountOf(23)));
        world.Advance(TimeSpan.FromSeconds(30));
        Assert.Equal((1, errors), (world.Log.CountOf(1), world.Log.CountOf(23)));
    }

    [Fact]
    public void A_fatal_error_after_a_success_fails_queries_only_after_the_grace_period()
    {
        using var world = new World();
        var reader = world.Open("p");
        world.Settle();
        world.Database.Fault = _ => new ScriptedFault(FaultKind.Fatal);
        world.Advance(TimeSpan.FromSeconds(55));
        Assert.Null(reader.Failure);
        world.Advance(TimeSpan.FromSeconds(12));
        Assert.IsType<JournalException>(reader.Failure);
    }

    [Fact]
    public void A_fatal_error_that_passes_within_the_grace_period_reaches_no_reader()
    {
        using var world = new World();
        var reader = world.Open("p");
        world.Settle();
        world.Database.Fault = _ => new ScriptedFault(FaultKind.Fatal);
        world.Advance(TimeSpan.FromSeconds(50));
        world.Database.Fault = null;
        world.Journal.Append("p", 1, 1);
        world.AdvanceUntil(() => reader.Events.Count == 1, seconds: 10);
    }

    [Fact]
    public void The_grace_period_begins_again_after_an_error_of_another_kind()
    {
        using var world = new World();
        var reader = world.Open("p");
        world.Settle();
        world.Database.IsDown = true;
        world.Advance(TimeSpan.FromSeconds(10));
        world.Database.Fault = _ => new ScriptedFault(FaultKind.Fatal);
        Refuse(40);
        world.Database.IsDown = true;
        world.Advance(TimeSpan.FromSeconds(40));
        Refuse(40);
        Assert.Null(reader.Failure);
        Refuse(30);
        Assert.IsType<JournalException>(reader.Failure);

        void Refuse(int seconds)
        {
            world.Database.IsDown = false;
            world.Advance(TimeSpan.FromSeconds(seconds));
        }
    }

    [Fact]
    public void Too_many_connections_lower_the_limit_of_permits_for_a_while()
    {
        using var world = Running(out var readers);
        world.Database.Fail(world.Database.Pending[0], FaultKind.TooManyConnections);
        world.Settle();
        Assert.Equal(3, world.Permits.Limit);
        world.IsHeld = _ => false;
        world.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(4, world.Permits.Limit);
        Assert.All(readers, reader => Assert.True(reader.IsCompleted));
    }

    [Fact]
    public void Too_many_connections_with_a_single_statement_running_lower_no_limit()
    {
        using var world = new World(options => options with { MaxConcurrentQueries = 4 });
        world.IsHeld = _ => true;
        world.Open("p");
        world.Settle();
        world.Database.Fail(Assert.Single(world.Database.Pending), FaultKind.TooManyConnections);
        world.Settle();
        Assert.Equal(4, world.Permits.Limit);
    }

    [Fact]
    public void A_current_query_fails_after_its_timeout_and_a_live_query_does_not()
    {
        using var world = new World(options => options with { CurrentQueryTimeout = TimeSpan.FromSeconds(5) });
        world.Database.Fault = _ => new ScriptedFault(FaultKind.ConnectionLost);
        var (live, current) = (world.Open("p"), world.OpenCurrent("q"));
        world.Advance(TimeSpan.FromSeconds(4));
        Assert.Null(current.Failure);
        world.Advance(TimeSpan.FromSeconds(3));
        var failure = Assert.IsType<JournalException>(current.Failure);
        Assert.Equal($"The journal could not be read for 5 s ('CurrentQueryTimeout'): {failure.InnerException!.Message}", failure.Message);
        Assert.Null(live.Failure);
    }

    [Theory]
    [InlineData(nameof(FaultKind.Transient))]
    [InlineData(nameof(FaultKind.TimedOut))]
    public void A_current_query_whose_statement_is_retried_fails_after_its_timeout_too(string kind)
    {
        using var world = new World(options => options with { CurrentQueryTimeout = TimeSpan.FromSeconds(5) });
        world.Journal.Append("p", 1, 3);
        var live = world.Open("q");
        world.Advance(TimeSpan.FromSeconds(1));
        world.Database.Fault = call => call.IsPages ? new ScriptedFault(Enum.Parse<FaultKind>(kind)) : null;
        List<PolledReader> current = [world.OpenCurrent("p"), world.OpenAll(isLive: false)];
        world.Settle();
        world.Database.IsDown = true;
        world.Advance(TimeSpan.FromSeconds(4));
        Assert.All(current, reader => Assert.Null(reader.Failure));
        world.Advance(TimeSpan.FromSeconds(3));
        Assert.All(current, reader => Assert.Contains("'CurrentQueryTimeout'", Assert.IsType<JournalException>(reader.Failure).Message, StringComparison.Ordinal));
        (world.Database.IsDown, world.Database.Fault) = (false, null);
        world.Journal.Append("q", 1, 1);
        world.AdvanceUntil(() => live.Events.Count == 1);
        Assert.Equal(0, world.Engine.Budget().Used);
    }

    /// <summary>Four running statements, each for one query.</summary>
    private static World Running(out List<PolledReader> readers)
    {
        var world = new World(options => options with { MaxConcurrentQueries = 4 }) { IsHeld = call => call.IsPages };
        readers = PageSchedulerTests.Open(world, 4);
        world.Settle();
        Assert.Equal(4, world.Database.RunningPages);
        return world;
    }
}
