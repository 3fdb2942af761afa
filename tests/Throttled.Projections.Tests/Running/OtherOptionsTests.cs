using System.Text;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

/// <summary>A rolling deployment: processes with the options of two releases run the same projection.</summary>
public sealed class OtherOptionsTests : IDisposable
{
    private readonly HostedFiles _files = new();
    private int _handled;

    public void Dispose() => _files.Delete();

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Processes_with_other_options_share_the_lanes_and_handle_each_event_once(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await using var appender = SqliteJournal.OpenAppender(_files.JournalString);
        await appender.CreateAsync();
        await using var journal = _files.OpenJournal();
        var control = new ProjectionControl(readModel.ReadModel);
        await using var old = Start(journal, readModel, options => options with { Lanes = 4, BatchSize = 500 });
        await UntilSharedAsync(control, "old,old,old,old");
        await using var newer = Start(journal, readModel, options => options with
        {
            ProcessName = "new", Lanes = 6, BatchSize = 3, BatchAge = TimeSpan.Zero, StartAt = ProjectionStart.Now, OnFailure = FailurePolicy.DeadLetter,
            MaxBufferedBytes = 1, MaxAttempts = 1, LeaseDuration = TimeSpan.FromSeconds(20),
        });
        await UntilSharedAsync(control, "old,old,new,new");

        // Another source is not the same projection: the process ends and says why, and the others go on.
        await using var other = Start(journal, readModel, options => options with { ProcessName = "other", Source = ProjectionSource.All.OfTypes("n") });
        var refusal = await Assert.ThrowsAsync<ProjectionException>(() => other.Completion.WithinAsync("the end"));
        Assert.Contains("""was made of 'all', but 'Source' is 'manifests:["n"] of all'. Set 'Source' back""", refusal.Message, StringComparison.Ordinal);

        await appender.AppendAsync([.. Enumerable.Range(0, 200).Select(number => new JournalEvent
        {
            PersistenceId = $"id-{number}", SequenceNumber = 1, Manifest = "n", Payload = Encoding.UTF8.GetBytes("1"),
        })]);
        await new ProjectionWaits(journal, readModel.ReadModel).WaitUntilLevelAsync("p", TimeSpan.FromMinutes(2));
        Assert.Equal(200, Volatile.Read(ref _handled));
        var status = Assert.Single(await control.StatusAsync("p"));
        Assert.Equal((200, "0"), (status.Events, status.StartOffset));
        // On a busy machine, an owner may renew its leases late.
        await UntilSharedAsync(control, "old,old,new,new");
        Assert.False(old.Completion.IsCompleted || newer.Completion.IsCompleted);
    }

    private static Task UntilSharedAsync(ProjectionControl control, string owners) => Wait.UntilAsync(
        async () => (await control.StatusAsync("p")) is [var status] && Owners(status) == owners, () => owners);

    private static string Owners(ProjectionStatus status) => string.Join(',', status.Lanes.Select(lane => lane.Owner));

    private Projection Start(JournalReader journal, TestReadModel readModel, Func<ProjectionOptions, ProjectionOptions> change)
    {
        var projection = new Projection(
            journal, readModel.OfAnotherProcess(), new Counter(this), change(new()
            {
                Name = "p", ProcessName = "old", Decoder = new JsonEvents().Add<int>("n").Decode, TimeProvider = HurriedClock.Instance,
            }));
        projection.Start();
        return projection;
    }

    private sealed class Counter(OtherOptionsTests tests) : BatchHandler
    {
        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            _ = batch.Transaction;
            Interlocked.Add(ref tests._handled, batch.Count);
            return Task.CompletedTask;
        }
    }
}
