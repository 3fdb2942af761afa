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
        { "", "Required command was not provided." },
        { "stop", "'stop' is not known here." },
        { "status", "--database is missing; it must be sqlite or postgres." },
        { "status --database sqlite", "--connection is missing; --database sqlite needs it. Give \"Data Source=…\"." },
        { "status --database sqlite --connection Data_Source=a", "--connection cannot be read: " },
        { "status --database sqlite --connection Datasource=:memory:", "in memory; it must be a file, which all connections share." },
        { "status --database postgres --connection Database=a", "--connection has no Host; it must name the server." },
        { "status --database sqlite --connection Datasource=a", "--name is missing; it must be the name of a projection." },
        { "status --database sqlite --connection Datasource=not-there.db --name a", "it cannot be opened. Name a file in an existing directory that you may write to." },
        { "swap --database sqlite --connection Datasource=a --name a", "Required argument 'version' missing" },
        { "retry --database sqlite --connection Datasource=a --name a", "Nothing says what to retry. Give a persistence id, or --all." },
        { "retry x --all --database sqlite --connection Datasource=a --name a", "--all is given, and the persistence id 'x' too" },
        { "dead-letters --limit 0", "--limit is '0'; it must be a whole number from 1 to 100,000. Leave it out for 100." },
        { "reset --to 3 --since 2024-05-01 --database sqlite --connection Datasource=a --name a", "--to is 3 and --since is '2024-05-01'; they exclude each other." },
        { "reset --since soon --database sqlite --connection Datasource=a --name a", "--since is 'soon'; it must be a time" },
    };

    private string Connection => $"Data Source={Path.Combine(_directory.FullName, "accounts.db")}";

    public async Task InitializeAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(Connection);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(1, 3).Select(number => new JournalEvent { PersistenceId = $"account-{number}", SequenceNumber = 1, Payload = "x"u8.ToArray() })]);
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
        var (code, _, errors) = await RunAsync(line.Split(' ', StringSplitOptions.RemoveEmptyEntries));

        Assert.Equal(2, code);
        Assert.StartsWith("error: ", errors);
        Assert.Contains(reason, errors);
        Assert.False(File.Exists("not-there.db"));
    }

    [Fact]
    public async Task A_projection_is_watched_paused_and_rebuilt_and_its_dead_letters_are_listed_and_discarded()
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
        await Wait.UntilAsync(async () => (await RunAsync(["status", .. Where])).Code == 0, () => "the projection has its tables");
        await PrintsAsync("dead letters: 1", "status");
        await PrintsAsync("caught up", "status");
        var unknown = await RunAsync(["status", .. Where.SkipLast(1), "total"]);
        Assert.Equal((2, "error: --name is 'total', and there is no such projection in this database. It has: totals."), (unknown.Code, unknown.Errors.TrimEnd()));
        var list = await RunAsync(["list", .. Where.SkipLast(2)]);
        Assert.Equal(["totals", "totals", "live", "caught", "up", "2", "of", "2", "1"], list.Output.Split('\n').Last(line => line.Contains("totals")).Split(' ', StringSplitOptions.RemoveEmptyEntries));

        Assert.Contains("account-2", await OutputAsync("dead-letters"));
        Assert.Contains("there are no dead letters", await OutputAsync("dead-letters", "account-1", "--limit", "5", "--read-model-version", "totals"));
        Assert.Contains("the dead letters of 1 persistence ids were discarded", await OutputAsync("discard", "--all"));
        Assert.Contains("totals is paused", await OutputAsync("pause"));
        await PrintsAsync("paused", "status");
        Assert.Contains("\"isPaused\": true", await OutputAsync("status", "--json"));
        Assert.Contains("totals goes on", await OutputAsync("resume"));
        await OutputAsync("rebuild", "totals-2");
        await PrintsAsync("building, caught up", "status");
        // The event fails again in the version that is built.
        await OutputAsync("discard", "--all", "--read-model-version", "totals-2");
        await OutputAsync("swap", "totals-2");
        await OutputAsync("drop", "totals");
        await PrintsAsync("totals-2  live, caught up", "status");
        Assert.DoesNotContain("totals  ", await OutputAsync("status"));
    }

    private Task PrintsAsync(string text, params string[] verb)
    {
        var output = "";
        return Wait.UntilAsync(async () => (output = (await RunAsync([.. verb, .. Where])).Output).Contains(text), () => $"'{text}'; it prints {output}");
    }

    private async Task<string> OutputAsync(params string[] verb)
    {
        var (code, output, errors) = await RunAsync([.. verb, .. Where]);
        Assert.True(code == 0, errors);
        return output;
    }

    private string[] Where => ["--database", "sqlite", "--connection", Connection, "--name", "totals"];

    private static Task<ToolOutput> RunAsync(string[] arguments) => ToolOutput.OfAsync(["projections", .. arguments]);

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
