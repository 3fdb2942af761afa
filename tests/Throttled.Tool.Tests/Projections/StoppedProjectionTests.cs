using System.Text.Json;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;
using Throttled.Projections;
using Throttled.Testing;
using Throttled.Testing.Scripted;

namespace Throttled.Tool.Tests.Projections;

/// <summary>The operating verbs on a projection that no process runs any more. It has six dead letters of three persistence ids.</summary>
public sealed class StoppedProjectionTests : IAsyncLifetime
{
    private const string LeftOut = "Only the first 2 persistence ids are listed; there are more. Raise --limit.";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-stopped-");

    private string Connection => $"Data Source={Path.Combine(_directory.FullName, "accounts.db")}";

    public async Task InitializeAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(Connection);
        await appender.CreateAsync();
        await appender.AppendAsync([Event("a", 1), Event("b", 1), Event("a", 2), Event("c", 1), Event("a", 3), Event("b", 2)]);
        await using var journal = SqliteJournal.OpenReader(Connection);
        await using var source = SqliteFactory.Instance.CreateDataSource(Connection);
        await using var projection = new Projection(journal, ReadModelDatabase.Sqlite(source), new FailingHandler(), new ProjectionOptions
        {
            Name = "totals",
            Lanes = 1,
            MaxAttempts = 1,
            OnFailure = FailurePolicy.DeadLetter,
        });
        projection.Start();
        var control = new ProjectionControl(ReadModelDatabase.Sqlite(source));
        await Wait.UntilAsync(async () => await control.StatusAsync("totals") is [{ DeadLetters: 6 }], () => "all events are dead letters");
    }

    public Task DisposeAsync()
    {
        SqliteConnection.ClearAllPools();
        _directory.Delete(recursive: true);
        return Task.CompletedTask;
    }

    [Fact]
    public async Task The_limit_of_the_list_is_for_persistence_ids_and_their_counts_are_exact()
    {
        var all = await RunAsync("dead-letters list totals --limit 3");
        Assert.Equal([("a", 2), ("b", 1), ("c", 0)], BehindIt(all.Output));
        Assert.DoesNotContain("Raise --limit", all.Output);

        var some = await RunAsync("dead-letters list totals --limit 2");
        Assert.Equal([("a", 2), ("b", 1)], BehindIt(some.Output));
        Assert.EndsWith(LeftOut, some.Output.TrimEnd());
    }

    [Fact]
    public async Task The_list_as_JSON_has_the_counts_and_what_is_left_out_is_said_on_the_error_stream()
    {
        var (_, output, errors) = await RunAsync("dead-letters list totals --limit 2 --json");

        using var json = JsonDocument.Parse(output);
        Assert.Equal([("a", 2), ("b", 1)], json.RootElement.EnumerateArray().Select(each => (each.GetProperty("persistenceId").GetString(), each.GetProperty("behindIt").GetInt32())));
        Assert.Equal(LeftOut, errors.TrimEnd());
        Assert.Empty((await RunAsync("dead-letters list totals --json")).Errors);
    }

    [Fact]
    public async Task The_list_of_one_persistence_id_has_no_count_of_what_is_behind()
    {
        var (_, output, _) = await RunAsync("dead-letters list totals a --limit 2");

        Assert.DoesNotContain("behind it", output);
        Assert.Single(output.Split('\n'), line => line.Contains("not yet"));
        Assert.EndsWith("Only the first 2 dead letters are listed; there are more. Raise --limit.", output.TrimEnd());
    }

    [Theory]
    [InlineData("dead-letters retry totals a", "No process has executed the command yet. It is stored, and waits for a process that runs 'totals'.")]
    [InlineData("dead-letters retry totals --all", "The 3 commands are not all executed yet. They are stored, and wait for a process that runs 'totals'.")]
    [InlineData("projections lanes totals 2", "No process has executed the command yet. It is stored, and waits for a process that runs 'totals'.")]
    public async Task A_command_that_no_process_executes_says_so_after_five_seconds_and_on_interruption_that_it_is_stored(string line, string notice)
    {
        var clock = new FakeClock();
        using var interruption = new CancellationTokenSource();
        using var written = new StringWriter();

        var run = ToolCommand.RunAsync(Arguments(line), TextWriter.Null, TextWriter.Synchronized(written), clock, interruption.Token);
        // The notice, and the pause before the next look at the command.
        await Wait.UntilAsync(() => clock.Set == 2, "the tool waits");
        clock.Advance(TimeSpan.FromSeconds(4.9));
        Assert.Equal("", $"{written}");
        await Wait.UntilAsync(() => clock.Set == 2, "the tool waits again");
        clock.Advance(TimeSpan.FromSeconds(0.1));
        Assert.Equal(notice, $"{written}".TrimEnd());

        await interruption.CancelAsync();
        Assert.Equal(130, await run);
        Assert.Matches("interrupted\\. The command(s are| is) stored, and will be executed later by a process that runs 'totals'", $"{written}");
    }

    [Fact]
    public async Task A_pause_of_a_stopped_projection_returns_at_once_and_each_repetition_says_what_it_found()
    {
        Assert.Equal("'totals' is paused; no lane runs.", (await RunAsync("projections pause totals --timeout 30")).Output.TrimEnd());
        Assert.Equal("'totals' was paused already; no lane runs.", (await RunAsync("projections pause totals")).Output.TrimEnd());
        Assert.Equal("'totals' is resumed; no process runs it now.", (await RunAsync("projections resume totals")).Output.TrimEnd());
        Assert.Equal("'totals' was not paused, and none of its lanes has failed.", (await RunAsync("projections resume totals")).Output.TrimEnd());
    }

    [Fact]
    public async Task A_pause_names_the_lanes_that_run_after_five_seconds_and_at_its_time_out()
    {
        await ExecuteAsync("UPDATE throttled_projection_lane SET owner = 'host-a-1', lease_until = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+3600 seconds')");
        var clock = new FakeClock();
        using var errors = new StringWriter();
        var run = ToolCommand.RunAsync(Arguments("projections pause totals --timeout 60"), TextWriter.Null, TextWriter.Synchronized(errors), clock);
        await Wait.UntilAsync(() => clock.Set == 3, "the tool waits");
        clock.Advance(TimeSpan.FromSeconds(5));
        const string left = "'totals' is paused, and the pause is stored. Each lane stops after its current batch. Not stopped yet: lane 0 of 'host-a-1' (idle, no report: it is just claiming lanes, or it is an older release; if so, stop or update it).";
        Assert.Equal(left, $"{errors}".TrimEnd());
        await Wait.UntilAsync(() => clock.Set == 2, "the tool waits again");
        clock.Advance(TimeSpan.FromSeconds(55));
        Assert.Equal(2, await run);
        Assert.EndsWith($"error: After 60 s: {left}", $"{errors}".TrimEnd(), StringComparison.Ordinal);
        Assert.Matches("pause totals +done +'totals' is paused", (await RunAsync("projections commands totals")).Output);
    }

    [Fact]
    public async Task A_waiting_command_is_withdrawn_by_its_id_and_all_by_one_option()
    {
        await StoredAsync("projections lanes totals 2");
        await StoredAsync("dead-letters retry totals --all");
        var id = (await RunAsync("projections commands totals --json")).Output is var json ? JsonDocument.Parse(json).RootElement.EnumerateArray().Last().GetProperty("id").GetInt64() : 0;

        Assert.Equal($"Command {id} (SetLanes of 'totals') is withdrawn.", (await RunAsync($"projections withdraw totals {id} --reason mistake")).Output.TrimEnd());
        Assert.Contains($"cannot be withdrawn: it is withdrawn already", (await RunAsync($"projections withdraw totals {id}")).Errors);
        Assert.Equal("3 commands withdrawn", (await RunAsync("projections withdraw totals --all")).Output.TrimEnd());
        Assert.Equal("0 commands withdrawn", (await RunAsync("projections withdraw totals --all")).Output.TrimEnd());
        Assert.Matches($" {id} .* lanes totals +withdrawn +The command was withdrawn by .*: mistake\\.", (await RunAsync("projections commands totals")).Output);
    }

    [Fact]
    public async Task A_dead_letter_with_more_than_100_000_events_behind_it_is_counted_exactly()
    {
        await ExecuteAsync(
            "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 100200) "
            + "INSERT INTO throttled_projection_dead_letter (version, persistence_id, sequence_number, ordering, slice, timestamp, manifest, payload, omitted_bytes, tags, attempts, dead_lettered_at) "
            + $"SELECT 'totals', 'c', i, i, {JournalSlices.Of("c")}, 1, 'made', x'31', 0, '[]', 0, '2026-11-20T10:00:00.000Z' FROM n");
        Assert.Contains("behind it       100,101 events: 100 to 100200", (await RunAsync("dead-letters show totals c")).Output);
        Assert.Contains("event           100200, ", (await RunAsync("dead-letters show totals c 100200")).Output);
        Assert.Contains("This would remove 100,102 dead letters of 'c'", (await RunAsync("dead-letters discard totals c")).Output);
        Assert.Contains("This would remove 1 dead letter of 'c'", (await RunAsync("dead-letters discard totals c 100200")).Output);
        Assert.Contains("There is no dead letter 7 of 'c'; there are 100102, from 1 to 100200.", (await RunAsync("dead-letters show totals c 7")).Errors);
    }

    [Fact]
    public async Task A_stored_command_is_listed_by_the_name_of_its_verb()
    {
        await StoredAsync("projections lanes totals 2");

        Assert.Matches(" lanes totals +waiting", (await RunAsync("projections commands totals")).Output);
        Assert.Contains("the projection 'totals' is there already (live).", (await RunAsync("projections rebuild totals totals")).Errors);
    }

    // Interrupted while it waits.
    private async Task StoredAsync(string line)
    {
        using var interruption = new CancellationTokenSource();
        var clock = new FakeClock();
        var run = ToolCommand.RunAsync(Arguments(line), TextWriter.Null, TextWriter.Null, clock, interruption.Token);
        await Wait.UntilAsync(() => clock.Set == 2, "the tool waits");
        await interruption.CancelAsync();
        Assert.Equal(130, await run);
    }

    private async Task ExecuteAsync(string sql)
    {
        await using var connection = new SqliteConnection(Connection);
        await connection.OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        await command.ExecuteNonQueryAsync();
    }

    private static IEnumerable<(string Id, int Behind)> BehindIt(string table) =>
        from line in table.Split('\n')
        where line.Contains("not yet")
        let cells = line.Split(' ', StringSplitOptions.RemoveEmptyEntries)
        // Behind the time, which is two words.
        select (cells[0], int.Parse(cells[^4], System.Globalization.CultureInfo.InvariantCulture));

    private Task<ToolOutput> RunAsync(string line) => ToolOutput.OfAsync(Arguments(line));

    private string[] Arguments(string line) => [.. line.Split(' '), "--database", "sqlite", "--connection", Connection];

    private static JournalEvent Event(string id, long number) => new() { PersistenceId = id, SequenceNumber = number, Manifest = "made", Payload = "1"u8.ToArray() };

    private sealed class FailingHandler : BatchHandler
    {
        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken) =>
            throw new EventFailedException(batch[0].Ordering, new InvalidOperationException("not yet"));
    }
}
