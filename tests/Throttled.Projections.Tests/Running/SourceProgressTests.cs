using System.Text;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

/// <summary>The status and the stored offset of a projection whose source has only old events, while others are written. None of the others is handled.</summary>
public sealed class SourceProgressTests : IDisposable
{
    private const int Selected = 20;
    private const int Others = 500;
    private const int OtherSlices = 512;

    private readonly HostedFiles _files = new();
    private readonly FakeClock _clock = new();
    private int _appended;

    public void Dispose() => _files.Delete();

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_projection_by_tag_has_no_lag_behind_events_without_the_tag(string database) => RunAsync(database, ProjectionSource.ByTag("red"));

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_projection_by_slices_has_no_lag_behind_events_of_other_slices(string database) =>
        RunAsync(database, ProjectionSource.BySlices(0, OtherSlices - 1));

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_projection_of_a_manifest_has_no_lag_behind_other_events(string database) => RunAsync(database, ProjectionSource.All.OfTypes("n"));

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_projection_of_a_prefix_has_no_lag_behind_other_ids(string database) => RunAsync(database, ProjectionSource.All.WithIdPrefix("red-"));

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_projection_of_a_type_has_no_lag_behind_other_types(string database) => RunAsync(database, ProjectionSource.All.OfTypes(typeof(int)));

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_projection_of_all_filters_has_no_lag_behind_other_events(string database) =>
        RunAsync(database, ProjectionSource.ByTag("red").OfTypes("n").WithIdPrefix("red-"));

    private async Task RunAsync(string database, ProjectionSource source)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await AppendAsync(Selected, isSelected: true);
        await using var journal = _files.OpenJournal();
        var handler = new Counter();
        await using (Start(journal, readModel, handler, source))
        {
            await AppendAsync(Others, isSelected: false);
            var control = new ProjectionControl(readModel.ReadModel);
            ProjectionStatus? status = null;
            await UntilAsync(
                async () => (status = (await control.StatusAsync("p")).SingleOrDefault()) is { JournalEnd: Selected + Others, LagEvents: 0, Events: Selected, UnhandledEvents: 0 }
                    && (status.Offset, status.Lag, status.TimeLeft) == (Selected + Others, TimeSpan.Zero, TimeSpan.Zero),
                () => $"a projection that has caught up: {status}");
            await UntilAsync(async () => await StoredAsync(readModel) == Selected + Others, () => "the stored offset at the end of the journal");
        }
        await using (Start(journal, readModel, handler, source))
        {
            await AppendAsync(1, isSelected: true);
            await UntilAsync(() => Task.FromResult(handler.Handled > Selected), () => "the event after the restart");
        }
        Assert.Equal(Selected + 1, handler.Handled);
        Assert.True(await StoredAsync(readModel) >= Selected + Others);
    }

    private Projection Start(JournalReader journal, TestReadModel readModel, Counter handler, ProjectionSource source)
    {
        var projection = new Projection(journal, readModel.ReadModel, handler, new()
        {
            Name = "p", Source = source, Lanes = 2, Decoder = new JsonEvents().Add<int>("n").Add<string>("m").Decode, TimeProvider = _clock,
        });
        projection.Start();
        return projection;
    }

    // The process reconciles its lanes once a second. It stores offsets without events every ten seconds.
    private Task UntilAsync(Func<Task<bool>> condition, Func<string> what) => Wait.UntilAsync(
        () =>
        {
            _clock.Advance(TimeSpan.FromSeconds(1));
            return condition();
        },
        what);

    private static async Task<long> StoredAsync(TestReadModel readModel) =>
        Convert.ToInt64(await readModel.ScalarAsync("SELECT min(ordering) FROM throttled_projection_offset"));

    private async Task AppendAsync(int count, bool isSelected)
    {
        await using var appender = SqliteJournal.OpenAppender(_files.JournalString);
        await appender.CreateAsync();
        var prefix = $"{(isSelected ? "red" : "blue")}-{_appended++}";
        await appender.AppendAsync([.. Enumerable.Range(0, int.MaxValue).Select(number => $"{prefix}-{number}")
            .Where(id => JournalSlices.Of(id) < OtherSlices == isSelected).Take(count).Select(id => new JournalEvent
            {
                PersistenceId = id, SequenceNumber = 1, Manifest = isSelected ? "n" : "m", Payload = Encoding.UTF8.GetBytes(isSelected ? "1" : "\"1\""), Tags = isSelected ? ["red"] : ["blue"],
            })]);
    }

    private sealed class Counter : BatchHandler
    {
        private int _handled;

        internal int Handled => Volatile.Read(ref _handled);

        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            _ = batch.Transaction;
            Interlocked.Add(ref _handled, batch.Count);
            return Task.CompletedTask;
        }
    }
}
