using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>
/// A prepared transaction changes its name, and outlives its session and the server. Events above it still wait.
/// </summary>
[Collection(Contract.AloneCollection.Name)]
public sealed class PreparedTests(ITestOutputHelper output)
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(20);

    [PostgreSqlTheory]
    [InlineData(true, true, true)]
    public Task Events_above_a_prepared_transaction_wait_until_it_has_ended(bool commits, bool isServerKilled, bool isReaderNew) =>
        RunAsync(commits, isServerKilled, isReaderNew);

    [PostgreSqlTheory]
    [InlineData(false, false, false)]
    [InlineData(true, false, false)]
    [InlineData(true, true, false)]
    [InlineData(false, true, false)]
    [InlineData(false, true, true)]
    [Trait("Category", "Long")]
    public Task Events_above_a_prepared_transaction_wait_for_any_kind_of_end(bool commits, bool isServerKilled, bool isReaderNew) =>
        RunAsync(commits, isServerKilled, isReaderNew);

    private async Task RunAsync(bool commits, bool isServerKilled, bool isReaderNew)
    {
        using var server = PostgreSqlServer.Start();
        await using var journal = await Contract.PostgreSqlHost.CreateAsync(server);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { RefreshInterval = Interval }));
        await using var followers = new Followers(reader);
        await meter.UntilFollowingAsync(Followers.Count);

        await using var transaction = await journal.BeginAsync();
        await transaction.InsertAsync(Event("id-2", 1));
        await journal.AppendAsync(Event("id-3", 1));
        await meter.MoreAsync(3, "keys");
        await transaction.RunAsync("PREPARE TRANSACTION 'held'");
        await meter.MoreAsync(5, "keys");
        followers.HaveNothing();
        if (isServerKilled)
        {
            await journal.CloseAppenderAsync();
            server.Restart();
            await meter.MoreAsync(5, "keys");
            followers.HaveNothing();
        }
        // A reader that begins now finds it under its new name.
        var (anew, other) = StatementMeter.Of(() => journal.OpenReader(new() { RefreshInterval = Interval }));
        await using var late = new Followers(isReaderNew ? other : reader);
        await (isReaderNew ? anew : meter).MoreAsync(5, "keys");
        late.HaveNothing();

        await journal.ExecuteAsync($"{(commits ? "COMMIT" : "ROLLBACK")} PREPARED 'held'");

        string[] expected = commits ? ["id-2/1", "id-3/1"] : ["id-3/1"];
        await followers.HaveAsync(expected);
        await late.HaveAsync(expected);
        output.WriteLine($"{meter}");
    }

    private static JournalEvent Event(string id, int number) => TestEvents.One(id, number).With(Selections.Tag);

    private sealed class Followers(JournalReader reader) : IAsyncDisposable
    {
        internal const int Count = 3;

        private readonly List<LiveReading<JournalEvent>> _readings =
            [.. Enum.GetValues<Selection>().Select(selection => LiveReading.Of(reader.Read(selection, live: true)))];

        internal void HaveNothing() => Assert.All(_readings, reading => Assert.Empty(reading.Events));

        internal async Task HaveAsync(string[] expected)
        {
            foreach (var reading in _readings)
                (await reading.UntilAsync(expected.Length)).AreExactly(expected);
        }

        public async ValueTask DisposeAsync()
        {
            foreach (var reading in _readings)
                await reading.DisposeAsync();
        }
    }
}
