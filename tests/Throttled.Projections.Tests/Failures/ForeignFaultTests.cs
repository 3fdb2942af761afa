using System.Net.Sockets;
using System.Text;
using Npgsql;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Failures;

/// <summary>Handlers whose other service fails, and not the read model.</summary>
public sealed class ForeignFaultTests : IDisposable
{
    private const int Events = 100;
    private const int Refused = 17;
    private const int ReadModelUnavailable = 106;

    private readonly HostedFiles _files = new();
    private readonly RecordedLog _log = new();

    public void Dispose()
    {
        _log.Dispose();
        _files.Delete();
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_refused_call_is_a_failure_of_its_event_and_no_outage_of_the_read_model(string database) => FailsAsync(
        database, _ => throw new HttpRequestException("Connection refused", new SocketException((int)SocketError.ConnectionRefused)));

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task A_call_that_takes_too_long_is_a_failure_of_its_event(string database) => FailsAsync(database, _ => throw new TimeoutException());

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task Another_database_that_is_unavailable_is_a_failure_of_its_event(string database) => FailsAsync(database, async cancellation =>
    {
        await using var other = new NpgsqlConnection("Host=127.0.0.1;Port=1;Timeout=5");
        await other.OpenAsync(cancellation);
    });

    [Theory, OnPostgreSql]
    public async Task A_session_that_is_killed_under_the_handler_is_an_outage_of_the_read_model_and_fails_no_event(string database)
    {
        var isKilled = false;
        await using var readModel = await TestReadModel.CreateAsync(database);
        await RunAsync(readModel, new(async (batch, cancellation) =>
        {
            if (isKilled)
                return;
            isKilled = true;
            await using var command = batch.Connection.CreateCommand();
            (command.Transaction, command.CommandText) = (batch.Transaction, "SELECT pg_terminate_backend(pg_backend_pid())");
            await command.ExecuteNonQueryAsync(cancellation);
        }));
        Assert.True(isKilled);
        Assert.Empty(await new ProjectionControl(readModel.ReadModel).DeadLettersAsync("seen"));
        Assert.Equal(1, _log.CountOf(ReadModelUnavailable));
    }

    private async Task FailsAsync(string database, Func<CancellationToken, Task> call)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await RunAsync(readModel, new((batch, cancellation) => batch.Any(each => (int)each.Payload == Refused) ? call(cancellation) : Task.CompletedTask));
        var deadLetter = Assert.Single(await new ProjectionControl(readModel.ReadModel).DeadLettersAsync("seen"));
        Assert.Equal($"id-{Refused}", deadLetter.Event.PersistenceId);
        Assert.Equal(0, _log.CountOf(ReadModelUnavailable));
    }

    private async Task RunAsync(TestReadModel readModel, Handler handler)
    {
        await AppendAsync();
        await using var journal = _files.OpenJournal();
        await using var projection = new Projection(journal, readModel.ReadModel, handler, new()
        {
            Name = "seen",
            Lanes = 1,
            MaxAttempts = 1,
            OnFailure = FailurePolicy.DeadLetter,
            Decoder = new JsonEvents().Add<int>("number").Decode,
            LoggerFactory = _log,
            TimeProvider = HurriedClock.Instance,
        });
        var control = new ProjectionControl(readModel.ReadModel);
        projection.Start();
        await Wait.UntilAsync(async () => await control.StatusAsync("seen") is [{ Offset: >= Events }], () => "all events");
    }

    private async Task AppendAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(_files.JournalString);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(1, Events).Select(number => new JournalEvent
        {
            PersistenceId = $"id-{number}",
            SequenceNumber = 1,
            Manifest = "number",
            Payload = Encoding.UTF8.GetBytes($"{number}"),
        })]);
    }

    private sealed class Handler(Func<ProjectionBatch, CancellationToken, Task> handle) : BatchHandler
    {
        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken) => handle(batch, cancellationToken);
    }
}
