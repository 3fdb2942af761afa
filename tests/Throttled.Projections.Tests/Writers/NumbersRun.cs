using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Writers;

/// <summary>
/// A projection of the numbers from 1 to 40, written by some library. Events with the number 17 are poison: the table refuses the row, and the
/// batch is divided until the event is found. The table of totals has one row, which each event changes.
/// </summary>
internal sealed class NumbersRun : IAsyncDisposable
{
    internal const int Events = 40;
    internal const int Poison = 17;

    private readonly HostedFiles _files = new();

    private NumbersRun(TestReadModel readModel) => ReadModel = readModel;

    internal TestReadModel ReadModel { get; }

    /// <summary>All numbers except the poison.</summary>
    internal static IEnumerable<int> Good => Enumerable.Range(1, Events).Except([Poison]);

    internal static async Task<NumbersRun> CreateAsync(string database)
    {
        var run = new NumbersRun(await TestReadModel.CreateAsync(database));
        await run.ReadModel.ExecuteAsync($"CREATE TABLE seen (number int PRIMARY KEY, CHECK (number <> {Poison}))");
        await run.ReadModel.ExecuteAsync("CREATE TABLE totals (id int PRIMARY KEY, total int NOT NULL)");
        await run.ReadModel.ExecuteAsync("INSERT INTO totals VALUES (1, 0)");
        await run._files.AppendNumbersAsync(Events);
        return run;
    }

    /// <summary>Runs the handler to the last event.</summary>
    internal async Task<ProjectionStatus> HandleAsync(ProjectionHandler handler, int batch = Events, FailurePolicy policy = FailurePolicy.DeadLetter)
    {
        await using var journal = _files.OpenJournal();
        await using var projection = new Projection(journal, ReadModel.ReadModel, handler, new()
        {
            Name = "seen", Lanes = 1, OnFailure = policy, MaxAttempts = 1, BatchAge = TimeSpan.FromMinutes(1), BatchSize = batch,
            Decoder = new JsonEvents().Add<int>("number").Decode, TimeProvider = HurriedClock.Instance,
        });
        projection.Start();
        var control = new ProjectionControl(ReadModel.ReadModel);
        await Wait.UntilAsync(
            async () => await control.StatusAsync("seen") is [var status] && (status.Offset >= Events || status.Lanes.Any(lane => lane.State == LaneState.Failed)),
            () => "all events");
        return (await control.StatusAsync("seen"))[0];
    }

    /// <summary>Checks that all numbers except the poison are written once, and the poison is a dead letter.</summary>
    internal async Task CheckAsync(ProjectionStatus status)
    {
        Assert.Equal((1, (long)Events), (status.DeadLetters, status.Events));
        Assert.Equal(Good, await NumbersAsync());
        Assert.Equal(Good.Sum(), await TotalAsync());
    }

    internal async Task<List<int>> NumbersAsync() =>
        [.. (await ReadModel.RowsAsync("SELECT number FROM seen ORDER BY number")).Select(int.Parse)];

    internal async Task<int> TotalAsync() => Convert.ToInt32(await ReadModel.ScalarAsync("SELECT total FROM totals"));

    /// <summary>Only on PostgreSQL: the first row of the table fails with a serialization error, which a repetition cures.</summary>
    internal async Task FailOnceAsync()
    {
        // A sequence is not rolled back.
        await ReadModel.ExecuteAsync("CREATE SEQUENCE tries");
        await ReadModel.ExecuteAsync(
            """
            CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN IF nextval('tries') = 1 THEN RAISE EXCEPTION 'once' USING ERRCODE = '40001'; END IF; RETURN NEW; END $$
            """);
        await ReadModel.ExecuteAsync("CREATE TRIGGER fail_once BEFORE INSERT ON seen FOR EACH ROW EXECUTE FUNCTION fail_once()");
        await ReadModel.ExecuteAsync("ALTER TABLE seen DROP CONSTRAINT seen_number_check");
    }

    public async ValueTask DisposeAsync()
    {
        await ReadModel.DisposeAsync();
        _files.Delete();
    }
}
