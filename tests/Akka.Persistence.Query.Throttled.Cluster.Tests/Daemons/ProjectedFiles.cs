using System.Text;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Daemons;

/// <summary>A journal and a read model in SQLite files, and what a projection of numbered events has written.</summary>
internal sealed class ProjectedFiles : IAsyncDisposable
{
    internal const string Name = "numbers";

    private const int Lanes = 4;

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-daemons-");
    private int _appended;

    internal string JournalString => $"Data Source={Path.Combine(_directory.FullName, "journal.db")};Pooling=False";

    private string ReadModelString => $"Data Source={Path.Combine(_directory.FullName, "model.db")};Pooling=False";

    internal static async Task<ProjectedFiles> CreateAsync(int events)
    {
        var files = new ProjectedFiles();
        await using (var appender = SqliteJournal.OpenAppender(files.JournalString))
            await appender.CreateAsync();
        await files.AppendAsync(events);
        return files;
    }

    internal ReadModelDatabase OpenReadModel() => ReadModelDatabase.Sqlite(SqliteFactory.Instance.CreateDataSource(ReadModelString));

    internal JournalReader OpenJournal() => SqliteJournal.OpenReader(JournalString, new() { RefreshInterval = TimeSpan.FromMilliseconds(20) });

    /// <summary>A lease that is far longer than a test: who takes a lane over in time has not waited until it expired.</summary>
    internal static ProjectionOptions Options(ProjectionOptions options, string process) => options with
    {
        Lanes = Lanes,
        ProcessName = process,
        LeaseDuration = TimeSpan.FromMinutes(10),
        BatchAge = TimeSpan.Zero,
        Decoder = new JsonEvents().Add<int>("number").Decode,
    };

    internal async Task AppendAsync(int events)
    {
        await using var appender = SqliteJournal.OpenAppender(JournalString);
        await appender.AppendAsync([.. Enumerable.Range(_appended, events).Select(number => new JournalEvent
        {
            PersistenceId = IdIn(number % Lanes, number),
            SequenceNumber = 1,
            Manifest = "number",
            Payload = Encoding.UTF8.GetBytes($"{number}"),
        })]);
        _appended += events;
    }

    /// <summary>The owner of each lane, joined; <c>-</c> for a lane without one.</summary>
    internal async Task<string> OwnersAsync(string? version = null)
    {
        var status = await new ProjectionControl(OpenReadModel()).StatusAsync(Name);
        return status.FirstOrDefault(each => each.Version == (version ?? Name)) is { } found
            ? string.Join(' ', found.Lanes.OrderBy(lane => lane.Lane).Select(lane => lane.Owner ?? "-"))
            : "";
    }

    internal Task OwnAsync(string owners) => OwnAsync(found => found == owners, owners);

    internal async Task OwnAsync(Func<string, bool> areAs, string what)
    {
        var found = "";
        await Wait.UntilAsync(async () => areAs(found = await OwnersAsync()), () => $"the owners {what}; they are {found}");
    }

    /// <summary>Waits until every event was handled, and asserts that none was handled twice.</summary>
    internal async Task HandledOnceAsync(string version = Name)
    {
        var (rows, events) = (0L, 0L);
        await Wait.UntilAsync(
            async () => ((rows, events) = await CountAsync(version)) is var (_, found) && found >= _appended,
            () => $"{_appended} events; {events} were handled");
        Assert.Equal((_appended, _appended), (rows, events));
    }

    internal async Task<(long Rows, long Events)> CountAsync(string version = Name)
    {
        await using var connection = new SqliteConnection(ReadModelString);
        await connection.OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = $"SELECT count(*), count(DISTINCT number) FROM \"{version}\"";
        await using var reader = await command.ExecuteReaderAsync();
        await reader.ReadAsync();
        return (reader.GetInt64(0), reader.GetInt64(1));
    }

    // Similar ids have slices near each other. Without a choice, some lanes would get no events.
    private static string IdIn(int lane, int number) =>
        Enumerable.Range(0, int.MaxValue).Select(i => $"{i}-{number}").First(id => JournalSlices.Of(id) * Lanes / JournalSlices.Count == lane);

    public ValueTask DisposeAsync()
    {
        _directory.Delete(recursive: true);
        return default;
    }
}

/// <summary>Writes one row for each event that it handles, in the batch's own transaction. A test can hold a batch.</summary>
internal sealed class NumberHandler : BatchHandler
{
    private TaskCompletionSource? _held;

    internal TaskCompletionSource Entered { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <returns>Completed by the test, to let held batches go on.</returns>
    internal TaskCompletionSource Hold() => _held = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) =>
        scope.ExecuteAsync($"CREATE TABLE IF NOT EXISTS \"{scope.Version}\" (number INTEGER NOT NULL)", cancellationToken);

    public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        if (_held is { } held)
        {
            Entered.TrySetResult();
            await held.Task.WaitAsync(cancellationToken);
        }
        foreach (var each in batch)
            await batch.ExecuteAsync($"INSERT INTO \"{batch.Version}\" (number) VALUES (@number)", cancellationToken, ("number", each.Payload));
    }
}
