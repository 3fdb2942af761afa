using System.Text;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;
using Throttled.Projections.Tests.Hosting;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Store;

/// <summary>Tables of each earlier version, with rows, are brought up to date. Nothing is lost, and both releases work on them.</summary>
public sealed class UpgradeTests
{
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    private const int Last = Schema.Version - 1;

    // No tables of an earlier version were ever on SQL Server.
    private const int FirstOnSqlServer = 3;

    [Theory, OnSqlite(1, Last), OnPostgreSql(1, Last), OnSqlServer(FirstOnSqlServer, Last)]
    public async Task Processes_that_start_at_once_upgrade_the_tables_once_and_lose_nothing(string database, int version)
    {
        await using var readModel = await ReleasedTables.CreateAsync(database, version);
        await ReleasedTables.FillAsync(readModel, version);
        var columns = await ReleasedTables.ColumnsAsync(readModel);
        var rows = await ReleasedTables.RowsAsync(readModel, columns);
        Assert.Equal(20, rows.Count);

        await Task.WhenAll(Enumerable.Range(0, 6).Select(_ => Task.Run(() => new ProjectionStore(readModel.OfAnotherProcess()).CreateTablesAsync(default))));

        Assert.Equal(rows, await ReleasedTables.RowsAsync(readModel, columns));
        Assert.Equal(Schema.Version, await VersionAsync(readModel));
        await using var made = await TestReadModel.CreateAsync(database);
        Assert.Equal(await ReleasedTables.ColumnsAsync(made), await ReleasedTables.ColumnsAsync(readModel));
        var status = (await new ProjectionControl(readModel.ReadModel).StatusAsync("seen")).Single(each => each.Version == "seen");
        Assert.Equal((ReleasedTables.At, 40, 1, 1), (status.Offset, status.Events, status.DeadLetters, status.WaitingCommands));
    }

    [Theory, OnSqlite(1, Last), OnPostgreSql(1, Last), OnSqlServer(FirstOnSqlServer, Last)]
    public async Task The_projection_goes_on_exactly_after_its_offset_and_executes_the_waiting_command(string database, int version)
    {
        const int events = 100;
        var files = new HostedFiles();
        try
        {
            await files.AppendNumbersAsync(events);
            await using var readModel = await ReleasedTables.CreateAsync(database, version);
            await ReleasedTables.FillAsync(readModel, version);
            // The retired version has no lanes that run.
            await readModel.ExecuteAsync("UPDATE throttled_projection SET role = 'Retired' WHERE version = 'seen_2'");
            await readModel.ExecuteAsync("CREATE TABLE seen (number int PRIMARY KEY)");
            await using (var journal = files.OpenJournal())
            {
                // A second insert of a number would fail and stop its lane.
                var handler = new HandlerBuilder().Event<int>((handled, transaction, cancellation) => transaction.ExecuteAsync("INSERT INTO seen VALUES (@number)", cancellation, ("number", handled.Payload)));
                await using var projection = new Projection(journal, readModel.ReadModel, handler.Build(), new() { Name = "seen", Lanes = 2, Decoder = new JsonEvents().Add<int>("number").Decode, TimeProvider = HurriedClock.Instance });
                projection.Start();
                await new ProjectionWaits(journal, readModel.ReadModel).WaitUntilLevelAsync("seen", TimeSpan.FromMinutes(2));
                await Wait.UntilAsync(async () => (await StatusAsync(readModel)) is { WaitingCommands: 0, DeadLetters: 0 }, () => "the retry is done");
            }
            Assert.Equal((events - ReleasedTables.At + 1, ReleasedTables.DeadLetter), (await readModel.CountAsync("seen"), Convert.ToInt64(await readModel.ScalarAsync("SELECT min(number) FROM seen"))));
            Assert.Equal(events - ReleasedTables.At, await readModel.CountAsync($"seen WHERE number > {ReleasedTables.At}"));
            Assert.Equal(events, (await StatusAsync(readModel)).Events);
            var retry = (await new ProjectionControl(readModel.ReadModel).CommandsAsync("seen")).Single(command => command.Verb == "Retry");
            Assert.Equal((CommandState.Done, version >= Schema.FirstWithOrigins ? new CommandOrigin("ann", "host-a", "ticket 7") : null), (retry.State, retry.Origin));
        }
        finally
        {
            files.Delete();
        }
    }

    [Theory, OnSqlite(1, Last), OnPostgreSql(1, Last), OnSqlServer(FirstOnSqlServer, Last)]
    public async Task A_process_of_the_old_release_goes_on_with_the_new_tables(string database, int version)
    {
        await using var readModel = await ReleasedTables.CreateAsync(database, version);
        await ReleasedTables.FillAsync(readModel, version);
        var old = new OldProcess(readModel, version);
        await old.RenewAsync();
        await old.ClaimAsync(0);
        await old.MoveAsync(ReleasedTables.At, ReleasedTables.At + 1);

        await readModel.Store.CreateTablesAsync(default);

        await old.RenewAsync();
        await old.ClaimAsync(1);
        await old.MoveAsync(ReleasedTables.At + 1, ReleasedTables.At + 2);
        await old.EndCommandAsync();
        await old.GiveCommandAsync();
        await old.ReadStatusAsync();
        // A new process sees the lanes of the old one, takes none of them over, and reads the command that the old one has given.
        Assert.Empty(await readModel.Store.ClaimAsync("seen", 7, [0, 1], "new-process", Hour, default));
        var snapshot = await readModel.Store.ReadAsync("seen", 100, default);
        Assert.Equal(["old-process", "old-process"], snapshot.Lanes.Where(lane => lane.Version == "seen").Select(lane => lane.Owner));
        Assert.Equal(CommandVerb.Reset, Assert.Single(snapshot.Commands).Verb);
        Assert.Equal(ReleasedTables.At + 2, (await readModel.ReadLaneAsync(version: "seen")).Offsets[0].Ordering);
        // The old release stops its lanes but does not report it, so a pause names them and stays.
        var clock = new FakeClock();
        var pause = new ProjectionControl(readModel.ReadModel, clock).PauseAsync("seen", timeout: TimeSpan.FromMinutes(1));
        await Wait.UntilAsync(() => clock.Set == 3, () => "the second poll is due");
        clock.Advance(TimeSpan.FromMinutes(1));
        var error = await Assert.ThrowsAsync<TimeoutException>(() => pause);
        Assert.Contains("lanes 0, 1 of 'old-process'", error.Message, StringComparison.Ordinal);
        Assert.True((await StatusAsync(readModel)).IsPaused);
    }

    [Theory, OnSqlite(1, Last), OnPostgreSql(1, Last), OnSqlServer(FirstOnSqlServer, Last)]
    public async Task A_failed_upgrade_changes_nothing_and_a_later_one_succeeds(string database, int version)
    {
        await using var readModel = await ReleasedTables.CreateAsync(database, version);
        await ReleasedTables.FillAsync(readModel, version);
        // The view is replaced near the end. A table of that name cannot be.
        await readModel.ExecuteAsync("DROP VIEW throttled_projection_status");
        await readModel.ExecuteAsync("CREATE TABLE throttled_projection_status (id int)");
        var columns = await ReleasedTables.ColumnsAsync(readModel);
        var rows = await ReleasedTables.RowsAsync(readModel, columns);

        await Assert.ThrowsAnyAsync<System.Data.Common.DbException>(() => readModel.Store.CreateTablesAsync(default));

        Assert.Equal(columns, await ReleasedTables.ColumnsAsync(readModel));
        Assert.Equal(rows, await ReleasedTables.RowsAsync(readModel, columns));
        await readModel.ExecuteAsync("DROP TABLE throttled_projection_status");
        await readModel.Store.CreateTablesAsync(default);
        Assert.Equal((Schema.Version, ReleasedTables.At), (await VersionAsync(readModel), (await StatusAsync(readModel)).Offset));
    }

    [Fact]
    public void The_tables_of_each_earlier_version_are_kept_as_they_were() => Assert.Equal(
        Enumerable.Range(1, Last).SelectMany(version => new[] { OnSqliteAttribute.Name, OnPostgreSqlAttribute.Name, OnSqlServerAttribute.Name }
            .Where(database => version >= FirstOnSqlServer || database != OnSqlServerAttribute.Name).Select(database => ReleasedTables.FileOf(database, version))).Order(StringComparer.Ordinal),
        typeof(ReleasedTables).Assembly.GetManifestResourceNames().Where(name => char.IsAsciiDigit(name[^5])).Order(StringComparer.Ordinal));

    private static async Task<ProjectionStatus> StatusAsync(TestReadModel readModel) =>
        (await new ProjectionControl(readModel.ReadModel).StatusAsync("seen")).Single(status => status.Version == "seen");

    private static async Task<int> VersionAsync(TestReadModel readModel) =>
        Convert.ToInt32(await readModel.ScalarAsync("SELECT max(version) FROM throttled_projection_schema"));
}
