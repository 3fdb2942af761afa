using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;
using Throttled.Projections;
using Throttled.Testing;

namespace Throttled.Tool.Tests.Projections;

/// <summary>The operating verbs, on a projection that runs in this process.</summary>
public sealed class ProjectionsCommandTests : IAsyncLifetime
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-projections-");

    public static TheoryData<string, string> Refused { get; } = new()
    {
        { "projections", "Required command was not provided." },
        { "projections stop", "'stop' is not known here." },
        { "projections show a", "--database is missing; it must be sqlite, postgres or sqlserver." },
        { "projections show a --database sqlserver --connection Database=a", "--connection has no Server; it must name the server. Write it as \"Server=…;User ID=…;Password=…;Database=…\"." },
        { "projections show a --database sqlite", "--connection is missing; --database sqlite needs it. Give \"Data Source=…\"." },
        { "projections show a --database sqlite --connection Data_Source=a", "--connection cannot be read: " },
        { "projections show a --database sqlite --connection Datasource=:memory:", "in memory; it must be a file, which all connections share." },
        { "projections show a --database postgres --connection Database=a", "--connection has no Host; it must name the server." },
        { "projections show --database sqlite --connection Datasource=a", "Required argument" },
        { "projections show a --watch --json --database sqlite --connection Datasource=a", "--watch and --json are given; they exclude each other." },
        { "projections show a --database sqlite --connection Datasource=not-there.db", "not-there.db', which does not exist; it must be the read model's file. Correct Data Source, or run the projection once." },
        { "projections list --database sqlite --connection Datasource=not-there.db", "which does not exist; it must be the read model's file." },
        { "projections list --database sqlite --connection Datasource=.", "which is a directory; it must be the read model's file." },
        { "projections withdraw a --database sqlite --connection Datasource=a", "Neither a command nor --all is given; give one of them." },
        { "projections withdraw a 7 --all --database sqlite --connection Datasource=a", "The command 7 and --all are given; they exclude each other." },
        { "projections pause a --timeout 0", "--timeout is '0'; it must be a whole number from 1 to 86,400. Leave it out for 60." },
        { "projections swap a --database sqlite --connection Datasource=a", "Required argument" },
        { "projections reset a --to 3 --since 2024-05-01 --database sqlite --connection Datasource=a", "--to is 3 and --since is '2024-05-01'; they exclude each other." },
        { "projections reset a --since soon --database sqlite --connection Datasource=a", "--since is 'soon'; it must be a time" },
        { "dead-letters retry a --database sqlite --connection Datasource=a", "Nothing says what to retry. Give a persistence id, or --all." },
        { "dead-letters retry a x --all --database sqlite --connection Datasource=a", "--all is given, and the persistence id 'x' too" },
        { "dead-letters discard a --database sqlite --connection Datasource=a", "Nothing says what to discard. Give a persistence id, or --all." },
        { "projections lanes a 0", "<number> is '0'; it must be a whole number from 1 to 1,024. See --help." },
        { "projections lanes a 1025", "<number> is '1025'; it must be a whole number from 1 to 1,024. See --help." },
        { "projections lanes a x", "<number> is 'x'; it must be a whole number from 1 to 1,024. See --help." },
        { "dead-letters show a b x", "<event> is 'x'; it must be a whole number from 1. Leave it out for the event that failed." },
        { "dead-letters list a --limit 0", "--limit is '0'; it must be a whole number from 1 to 100,000. Leave it out for 1,000." },
    };

    private string Connection => $"Data Source={Path.Combine(_directory.FullName, "accounts.db")}";

    public async Task InitializeAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(Connection);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(1, 3).Select(number => Event($"account-{number}", 1, number)), Event("account-2", 2, 9)]);
    }

    public Task DisposeAsync()
    {
        SqliteConnection.ClearAllPools();
        _directory.Delete(recursive: true);
        return Task.CompletedTask;
    }

    [Theory]
    [MemberData(nameof(Refused))]
    public async Task What_cannot_be_used_is_refused_with_a_reason(string line, string reason)
    {
        var (code, _, errors) = await RunAsync(line.Split(' '));

        Assert.Equal(2, code);
        Assert.StartsWith("error: ", errors);
        Assert.Contains(reason, errors);
        Assert.False(File.Exists("not-there.db"));
    }

    [Fact]
    public async Task A_projection_is_shown_paused_and_rebuilt_and_its_dead_letters_are_shown_and_discarded()
    {
        await using var journal = SqliteJournal.OpenReader(Connection);
        await using var source = SqliteFactory.Instance.CreateDataSource(Connection);
        await using var projection = new Projection(journal, ReadModelDatabase.Sqlite(source), new FailingHandler(), new ProjectionOptions
        {
            Name = "totals",
            Lanes = 2,
            MaxAttempts = 1,
            OnFailure = FailurePolicy.DeadLetter,
            Decoder = static each => each.PersistenceId,
        });
        projection.Start();
        await Wait.UntilAsync(async () => (await RunAsync(["projections", "show", "totals", .. Where])).Code == 0, () => "the projection has its tables");
        await ShowsAsync("dead letters  2");
        await ShowsAsync("live, caught up, reads all");
        var unknown = await RunAsync(["projections", "show", "total", .. Where]);
        Assert.Equal((2, "error: There is no projection 'total' in this database. It has: totals."), (unknown.Code, unknown.Errors.TrimEnd()));
        var list = await OutputAsync("projections list");
        Assert.Equal(["totals", "totals", "live", "caught", "up", "2", "of", "2", "2"], list.Split('\n').Last(line => line.Contains("totals")).Split(' ', StringSplitOptions.RemoveEmptyEntries));
        Assert.Matches(@"lanes +2 of 2 run\s+0 +0-511 +running", await OutputAsync("projections show totals"));

        await DeadLettersAsync();
        Assert.Contains("'totals' is paused; no lane runs.", await OutputAsync("projections pause totals --reason ticket-7"));
        await ShowsAsync("paused");
        Assert.Contains("\"isPaused\": true", await OutputAsync("projections show totals --json"));
        Assert.Contains("\"isPaused\": true", await OutputAsync("projections list --json"));
        Assert.Contains("\"isDone\": true", await OutputAsync("projections resume totals --json"));
        Assert.Matches($@"{Regex.Escape(Environment.UserName)} on {Regex.Escape(Environment.MachineName)} +ticket-7 +pause totals +done", await OutputAsync("projections commands totals"));
        Assert.Contains("\"reason\": \"ticket-7\"", await OutputAsync("projections commands totals --json"));
        await OutputAsync("projections rebuild totals totals-2");
        await ShowsAsync("building, caught up");
        // The event fails again in the version that is built.
        await OutputAsync("dead-letters discard totals --all --read-model-version totals-2 --execute");
        await ReplaceAsync();
    }

    private async Task DeadLettersAsync()
    {
        Assert.Matches(@"account-2 +1 +2 +made +1 +\d{4}-.* 1 +System.InvalidOperationException: not yet", await OutputAsync("dead-letters list totals"));
        Assert.Contains("queues behind the one that failed", await OutputAsync("dead-letters list totals account-2"));
        Assert.Contains("there are no dead letters", await OutputAsync("dead-letters list totals account-1 --limit 5 --read-model-version totals"));
        using (var json = JsonDocument.Parse(await OutputAsync("dead-letters list totals --json")))
            Assert.Equal(2, json.RootElement[0].GetProperty("payload").GetProperty("amount").GetInt32());
        var shown = await OutputAsync("dead-letters show totals account-2");
        Assert.Contains("event           1, ordering 2, written ", shown);
        Assert.Contains("behind it       1 event: 2 to 2", shown);
        Assert.Contains("  \"amount\": 2", shown);
        Assert.Contains("System.InvalidOperationException: not yet", shown);
        var missing = await RunAsync(["dead-letters", "show", "totals", "account-2", "--decoder", "not-there.dll", .. Where]);
        Assert.Contains("--decoder is 'not-there.dll'; there is no file", missing.Errors);
        // The decoder does not know the manifest.
        Assert.Equal(shown, await OutputAsync($"dead-letters show totals account-2 --decoder {typeof(Tail.ShopEvents).Assembly.Location}"));
        Assert.Contains("none: it queues behind an earlier event", await OutputAsync("dead-letters show totals account-2 2"));
        Assert.Contains("There is no dead letter 9 of 'account-2'; there are 2, from 1 to 2.", (await RunAsync(["dead-letters", "show", "totals", "account-2", "9", .. Where])).Errors);
        Assert.Contains("There is no dead letter of 'account-1'.", (await RunAsync(["dead-letters", "show", "totals", "account-1", .. Where])).Errors);

        Assert.Contains("This would remove 2 dead letters of 'account-2': the read model never gets these events. Nothing was changed.", await OutputAsync("dead-letters discard totals account-2"));
        Assert.Contains("This would remove 2 dead letters of all persistence ids of 'totals': the read model", await OutputAsync("dead-letters discard totals --all"));
        Assert.Contains("account-2", await OutputAsync("dead-letters list totals"));
        Assert.Contains("the dead letters of 1 persistence id were discarded", await OutputAsync("dead-letters discard totals --all --execute"));
        Assert.Contains("There is no dead letter to discard.", (await RunAsync(["dead-letters", "discard", "totals", "--all", .. Where])).Errors);
    }

    // Each verb prints first what it would do, and does not do it.
    private async Task ReplaceAsync()
    {
        Assert.Contains("This would make 'totals-2' (building, ", await OutputAsync("projections swap totals totals-2"));
        Assert.Contains("'totals' is live; it must be a version that nobody reads.", (await RunAsync(["projections", "drop", "totals", "totals", .. Where])).Errors);
        await OutputAsync("projections swap totals totals-2 --execute");
        Assert.Contains("it must be one that is built beside the live version", (await RunAsync(["projections", "swap", "totals", "totals", .. Where])).Errors);
        Assert.Contains("'totals' has no version 'other'. It has: totals, totals-2.", (await RunAsync(["projections", "drop", "totals", "other", .. Where])).Errors);
        Assert.Contains("This would remove 'totals' (retired, ", await OutputAsync("projections drop totals totals"));
        Assert.Contains("totals    retired, no longer written, reads all", await OutputAsync("projections show totals"));
        await OutputAsync("projections drop totals totals --execute");
        await ShowsAsync("totals-2  live, caught up");
        Assert.DoesNotContain("totals  ", await OutputAsync("projections show totals"));
        Assert.Contains("This would empty 'totals-2' (live, offset 4, 4 events handled", await OutputAsync("projections reset totals"));
        Assert.Matches(@"This would let 'totals-2' \(.*\) SKIP the events after ordering 4, up to 9: ", await OutputAsync("projections reset totals --to 9"));
        Assert.Matches(@"This would let 'totals-2' \(.*\) go on after ordering 2: later events are handled again", await OutputAsync("projections reset totals --to 2"));
        Assert.Contains("go on after ordering 2: later events are handled again", await OutputAsync("projections reset totals --to 2"));
        Assert.Contains("with the events since 2024-05-01: those that", await OutputAsync("projections reset totals --since 2024-05-01"));
        await OutputAsync("projections reset totals --execute");
        await ShowsAsync("dead letters  2");
    }

    private Task ShowsAsync(string text)
    {
        var output = "";
        return Wait.UntilAsync(async () => (output = (await RunAsync(["projections", "show", "totals", .. Where])).Output).Contains(text), () => $"'{text}'; it prints {output}");
    }

    private async Task<string> OutputAsync(string line)
    {
        var (code, output, errors) = await RunAsync([.. line.Split(' '), .. Where]);
        Assert.True(code == 0, errors);
        return output;
    }

    private string[] Where => ["--database", "sqlite", "--connection", Connection];

    private static Task<ToolOutput> RunAsync(string[] arguments) => ToolOutput.OfAsync(arguments);

    private static JournalEvent Event(string id, long number, int amount) =>
        new() { PersistenceId = id, SequenceNumber = number, Manifest = "made", Payload = Encoding.UTF8.GetBytes($"{{\"amount\":{amount}}}") };

    private sealed class FailingHandler : BatchHandler
    {
        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            foreach (var each in batch)
            {
                if (each.PersistenceId == "account-2")
                    throw new EventFailedException(each.Ordering, new InvalidOperationException("not yet"));
            }
            return Task.CompletedTask;
        }
    }
}
