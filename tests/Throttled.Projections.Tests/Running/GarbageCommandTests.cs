using System.Globalization;
using System.Text;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Tests.Hosting;
using Throttled.Projections.Tests.Store;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

/// <summary>Rows that were inserted into the table of commands by hand. Each is refused or does what a command may do, and delays no other.</summary>
public sealed class GarbageCommandTests : IDisposable
{
    private const int Events = 20;

    // Of a name in SQL Server.
    private const int MostCharacters = 200;

    private readonly HostedFiles _files = new();

    public void Dispose() => _files.Delete();

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task An_invalid_command_is_refused_and_the_next_is_executed(string database) => RunAsync(database, 20);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    [Trait("Category", "Long")]
    public Task Very_many_invalid_commands_do_not_delay_others(string database) => RunAsync(database, LongShare.Of(1_000));

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_rebuild_of_any_name_is_refused_or_is_a_read_model_of_its_own(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await AppendAsync();
        await readModel.ExecuteAsync("CREATE TABLE innocent (x int); INSERT INTO innocent VALUES (1)");
        await using var journal = _files.OpenJournal();
        await using var projection = new Projection(journal, readModel.ReadModel, new NamedCounter(), new() { Name = "p", Lanes = 1, Decoder = new JsonEvents().Add<int>("n").Decode, TimeProvider = HurriedClock.Instance });
        projection.Start();
        await Wait.UntilAsync(async () => await new ProjectionControl(readModel.ReadModel).StatusAsync("p") is [{ Offset: >= Events }], () => "all events");

        var garbage = new Garbage(7);
        string[] tooLong = [new('x', 64), new('x', 65), new('ä', 100), new('x', 201)];
        string[] drawn = ["", "\"; DROP TABLE innocent; --", "'; DROP TABLE innocent; --", new('x', 63), .. tooLong, .. Enumerable.Range(0, 10).Select(_ => Cleaned(garbage))];
        string[] names = [.. drawn.Where(name => !readModel.IsSqlServer || name.Length <= MostCharacters).Distinct(StringComparer.OrdinalIgnoreCase)];
        foreach (var name in names)
        {
            await readModel.ExecuteAsync(
                $"INSERT INTO throttled_projection_command (projection, version, verb, state, created_at) VALUES ('p', {Literal(readModel, name)}, 'Rebuild', 'Waiting', {readModel.Dialect.Now})");
        }
        await Wait.UntilAsync(async () => await readModel.CountAsync("throttled_projection_command WHERE state = 'Waiting'") == 0, () => "no command that waits", TimeSpan.FromMinutes(2));

        foreach (var name in names)
        {
            var isMade = await readModel.CountAsync($"throttled_projection_command WHERE version = {Literal(readModel, name)} AND state = 'Done'") == 1;
            Assert.Equal((name, name.Length > 0 && name[0] != '#' && name[^1] != ' ' && Encoding.UTF8.GetByteCount(name) <= 63), (name, isMade));
            if (isMade)
                await Wait.UntilAsync(async () => await readModel.CountAsync(ReadModelDatabase.Quote(name)) == Events, () => $"all events in \"{name}\"");
        }
        Assert.Equal((Events, 1), (await readModel.CountAsync("p"), await readModel.CountAsync("innocent")));
        Assert.False(projection.Completion.IsCompleted);
    }

    private async Task RunAsync(string database, int count)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await AppendAsync();
        await using var journal = _files.OpenJournal();
        await using var projection = new Projection(journal, readModel.ReadModel, new Counter(), new() { Name = "p", Lanes = 2, Decoder = new JsonEvents().Add<int>("n").Decode, TimeProvider = HurriedClock.Instance });
        projection.Start();
        var control = new ProjectionControl(readModel.ReadModel, HurriedClock.Instance);
        await Wait.UntilAsync(async () => await control.StatusAsync("p") is [{ Offset: >= Events }], () => "all events");

        await InsertAsync(readModel, new(count), count);
        Assert.Equal(
            "'p' is empty and begins with the first event.", await control.ResetAsync("p").WithinAsync("a reset behind invalid commands", TimeSpan.FromMinutes(5)));

        await Wait.UntilAsync(async () => await readModel.CountAsync("throttled_projection_command WHERE state = 'Waiting'") == 0, () => "no command that waits", TimeSpan.FromMinutes(2));
        await Wait.UntilAsync(async () => await readModel.CountAsync("counted") == Events, () => "all events again");
        Assert.False(projection.Completion.IsCompleted);
        Assert.Equal(count, await readModel.CountAsync("throttled_projection_command WHERE state = 'Refused' AND result <> ''"));
        Assert.Equal(0, await readModel.CountAsync("innocent"));
    }

    private async Task AppendAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(_files.JournalString);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(1, Events).Select(number => new JournalEvent
        {
            PersistenceId = $"id-{number}", SequenceNumber = 1, Manifest = "n", Payload = Encoding.UTF8.GetBytes($"{number}"),
        })]);
    }

    // None can be executed: an invalid verb, an unknown read model or dead letter, or an impossible swap or number of lanes.
    private static async Task InsertAsync(TestReadModel readModel, Garbage garbage, int count)
    {
        await readModel.ExecuteAsync("CREATE TABLE innocent (x int)");
        for (var i = 0; i < count; i++)
        {
            var (version, verb) = garbage.Random.Next(4) switch
            {
                0 => ("'p'", Text(readModel, garbage)),
                1 => (Text(readModel, garbage), $"'{garbage.OneOf("Reset", "Swap", "ForcedSwap", "Drop", "SetLanes", "Retry", "Discard")}'"),
                2 => ("'p'", $"'{garbage.OneOf("Swap", "ForcedSwap", "Drop", "Retry", "Discard")}'"),
                _ => ("'p'", "'SetLanes'"),
            };
            await readModel.ExecuteAsync(
                $"""
                INSERT INTO throttled_projection_command (projection, version, verb, persistence_id, sequence_number, ordering, timestamp, sharded_offset, lanes, state, created_at)
                VALUES ('p', {version}, {verb}, {(garbage.Random.Next(2) == 0 ? "NULL" : Text(readModel, garbage))}, {Number(readModel, garbage)}, {Number(readModel, garbage)},
                    {Number(readModel, garbage)}, {(garbage.Random.Next(2) == 0 ? "NULL" : Text(readModel, garbage))}, {garbage.OneOf("NULL", "-1", "0", "2147483647", readModel.IsSqlite ? "99999999999" : "2000")}, 'Waiting', {readModel.Dialect.Now})
                """);
        }
    }

    // PostgreSQL stores no text with the character 0, or with half of a surrogate pair.
    private static string Text(TestReadModel readModel, Garbage garbage) => Literal(readModel, Cleaned(garbage, readModel.IsSqlServer ? MostCharacters : 1_000));

    private static string Cleaned(Garbage garbage, int most = 1_000)
    {
        var text = new string([.. garbage.Text().Where(each => each != '\0' && !char.IsSurrogate(each))]);
        return text.Length > most ? text[..most] : text;
    }

    private static string Literal(TestReadModel readModel, string text) => $"{(readModel.IsSqlServer ? "N" : "")}'{text.Replace("'", "''", StringComparison.Ordinal)}'";

    private static string Number(TestReadModel readModel, Garbage garbage) => readModel.IsSqlite && garbage.Random.Next(4) == 0
        ? garbage.OneOf("'abc'", "x'00ff'", "1.5")
        : garbage.OneOf("NULL", "0", "-1", long.MaxValue.ToString(CultureInfo.InvariantCulture), (long.MinValue + 1).ToString(CultureInfo.InvariantCulture));

    private sealed class NamedCounter : BatchHandler
    {
        public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken)
        {
            var table = ReadModelDatabase.Quote(scope.Version);
            return scope.ExecuteAsync($"{scope.Dialect.CreateTable(table)} (n int); DELETE FROM {table}", cancellationToken);
        }

        public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            foreach (var each in batch)
                await batch.ExecuteAsync($"INSERT INTO {ReadModelDatabase.Quote(batch.Version)} VALUES (@n)", cancellationToken, ("n", each.Payload));
        }
    }

    private sealed class Counter : BatchHandler
    {
        public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) =>
            scope.ExecuteAsync($"{scope.Dialect.CreateTable("counted")} (n int); DELETE FROM counted", cancellationToken);

        public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            foreach (var each in batch)
                await batch.ExecuteAsync("INSERT INTO counted VALUES (@n)", cancellationToken, ("n", each.Payload));
        }
    }
}
