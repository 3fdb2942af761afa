using System.Text;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Tests.Handlers;
using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Xunit.Abstractions;

namespace Throttled.Projections.Tests.Effects;

/// <summary>The sample of an HTTP API, on a server that fails at random.</summary>
public sealed class ReceiptsTests(ITestOutputHelper output) : IDisposable
{
    private const int Accounts = 8;
    private const int Old = 24;
    private const int New = 96;

    private readonly HostedFiles _files = new();
    private readonly int _seed = Environment.TickCount;

    public void Dispose() => _files.Delete();

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Each_new_deposit_gets_one_receipt_from_an_api_that_fails_at_random_over_aborted_processes_and_a_reset(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await using var api = await StartAsync(hasMemory: true);
        using var client = new HttpClient(new ImpatientHandler()) { BaseAddress = api.Address };
        await AppendAsync(1, Old);
        await using (var first = Run(readModel, client))
            await first.CaughtUpAsync(Old);
        Assert.Equal(0, api.Requests.All);
        await AppendAsync(Old + 1, New);
        foreach (var requests in new[] { 20, 60 })
        {
            await using var process = Run(readModel, client);
            await Wait.UntilAsync(() => api.Requests.All >= requests, () => "requests");
            await process.AbortAsync();
        }
        await using var last = Run(readModel, client);
        await last.CaughtUpAsync(Old + New);
        Assert.Equal(Expected(), api.Effects);
        Assert.True(api.Requests.Repeated > 0, "No request came again.");
        var before = api.Requests.All;
        await last.Control.ResetAsync("counters", Old);
        await last.CaughtUpAsync(Old + New);
        Assert.Equal(before, api.Requests.All);
        Assert.Equal(0, (await last.StatusAsync()).DeadLetters);
    }

    // The test above can fail: without a memory of keys, effects are repeated.
    [Fact]
    public async Task An_api_that_knows_no_keys_repeats_effects()
    {
        await using var readModel = await TestReadModel.CreateAsync(OnSqliteAttribute.Name);
        await using var api = await StartAsync(hasMemory: false);
        using var client = new HttpClient(new ImpatientHandler()) { BaseAddress = api.Address };
        await AppendAsync(1, 0);
        await using var run = Run(readModel, client);
        await Wait.UntilAsync(async () => (await run.Control.StatusAsync("counters")).Count == 1, () => "the version");
        await AppendAsync(Old + 1, New);
        await run.CaughtUpAsync(New);
        Assert.True(api.Effects.Count > New, $"{api.Effects.Count} effects");
        Assert.Equal(Expected(), api.Effects.Distinct());
    }

    private static IEnumerable<string> Expected() =>
        Enumerable.Range(Old + 1, New).Select(number => $"account-{number % Accounts}:{number}").Order(StringComparer.Ordinal);

    private Task<FlakyApi> StartAsync(bool hasMemory)
    {
        output.WriteLine($"seed {_seed}");
        return FlakyApi.StartAsync(_seed, hasMemory);
    }

    private ProjectionRun Run(TestReadModel readModel, HttpClient client) => ProjectionRun.Start(
        _files.OpenJournal(), readModel.ReadModel, new Receipts(client),
        options => options with { Lanes = 8, MaxAttempts = 30, OnFailure = FailurePolicy.DeadLetter, Decoder = new JsonEvents().Add<Deposited>().Decode });

    private async Task AppendAsync(int first, int count)
    {
        await using var appender = SqliteJournal.OpenAppender(_files.JournalString);
        if (!File.Exists(_files.JournalPath))
            await appender.CreateAsync();
        if (count > 0)
            await appender.AppendAsync([.. Enumerable.Range(first, count).Select(number => new JournalEvent
            {
                PersistenceId = $"account-{number % Accounts}", SequenceNumber = number, Manifest = "Deposited", Payload = Encoding.UTF8.GetBytes($$"""{"Cents":{{number}}}"""),
            })]);
    }
}
