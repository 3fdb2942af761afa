using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>Which waiting commands a process reads, and in which order, compared with a model in memory.</summary>
public sealed class CommandOrderTests
{
    private const int Lanes = 4;

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Commands_that_are_given_ended_and_withdrawn_at_random_are_read_as_in_the_model(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: Lanes);
        await readModel.VersionAsync("built", lanes: Lanes, role: VersionRole.Building);
        var control = new ProjectionControl(readModel.ReadModel);
        for (var seed = 1; seed <= 4; seed++)
        {
            var random = new Random(seed);
            List<CommandRow> waiting = [];
            for (var step = 0; step < 60; step++)
            {
                if (waiting.Count > 0 && random.Next(4) == 0)
                {
                    var (ended, isDone) = (waiting[random.Next(waiting.Count)], random.Next(2) == 0);
                    await (isDone ? (Task)readModel.Store.RefuseAsync(ended, "no", default) : control.WithdrawAsync("accounts", ended.Id));
                    waiting.Remove(ended);
                }
                else
                {
                    waiting.Add(await InsertAsync(readModel, random));
                }
                var limit = random.Next(1, 40);
                var read = (await readModel.Store.ReadAsync("accounts", limit, default)).Commands;
                Assert.True(Expected(waiting, limit).SequenceEqual(read.Select(command => command.Id)), $"Seed {seed}, step {step}, limit {limit}: {string.Join("; ", read)}");
            }
            await control.WithdrawAllAsync("accounts");
        }
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_thousand_retries_hide_neither_a_reset_nor_a_discard_nor_the_commands_of_another_lane(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: Lanes);
        string[] ids = [.. Enumerable.Range(0, 10_000).Select(number => $"id-{number}").Where(id => LaneOf(id) == 0).Take(1_000)];
        await DeadLetterTests.StoreAsync(readModel, [.. ids.Select((id, index) => DeadLetters.Of(id, index + 1))]);
        var control = new ProjectionControl(readModel.ReadModel);
        using var impatient = new CancellationTokenSource();
        var retry = control.RetryAllAsync("accounts", cancellationToken: impatient.Token);
        await Wait.UntilAsync(async () => (await control.StatusAsync("accounts"))[0].WaitingCommands == 1_000, () => "the retries are stored");
        await impatient.CancelAsync();
        await Assert.ThrowsAsync<StoredCommandException>(() => retry);
        var reset = await InsertAsync(readModel, CommandVerb.Reset, null);
        var discard = await InsertAsync(readModel, CommandVerb.Discard, ids[500]);
        var other = await InsertAsync(readModel, CommandVerb.Retry, Enumerable.Range(0, 100).Select(number => $"id-{number}").First(id => LaneOf(id) == 3));

        var read = (await readModel.Store.ReadAsync("accounts", 40, default)).Commands;

        Assert.Equal(reset.Id, read[0].Id);
        // Its earlier retry comes first, because commands of an id stay in their order.
        Assert.Equal([ids[500], ids[500]], read.Skip(1).Take(2).Select(command => command.PersistenceId));
        Assert.Equal(discard.Id, read[2].Id);
        Assert.Contains(other.Id, read.Select(command => command.Id));
        Assert.Equal(10, read.Count(command => command.PersistenceId is { } id && LaneOf(id) == 0));
    }

    private static IEnumerable<long> Expected(IReadOnlyList<CommandRow> waiting, int limit)
    {
        var perLane = 1 + ((limit - 1) / Lanes);
        var discarded = waiting.Where(command => command.Verb == CommandVerb.Discard).Select(command => (command.Version, command.PersistenceId)).ToHashSet();
        return
        [
            .. waiting.Where(command => command.PersistenceId is null).Take(limit).Select(command => command.Id),
            .. waiting.Where(command => command.PersistenceId is not null)
                .OrderBy(command => discarded.Contains((command.Version, command.PersistenceId)) ? 0 : 1).ThenBy(command => command.Id)
                .GroupBy(command => (command.Version, LaneOf(command.PersistenceId!))).SelectMany(lane => lane.Take(perLane))
                .OrderBy(command => discarded.Contains((command.Version, command.PersistenceId)) ? 0 : 1).ThenBy(command => command.Id).Select(command => command.Id),
        ];
    }

    private static int LaneOf(string id) => JournalSlices.Of(id) / (JournalSlices.Count / Lanes);

    private static Task<CommandRow> InsertAsync(TestReadModel readModel, Random random) => random.Next(5) switch
    {
        0 => InsertAsync(readModel, CommandVerb.Reset, null, random),
        1 => InsertAsync(readModel, CommandVerb.Discard, $"id-{random.Next(12)}", random),
        _ => InsertAsync(readModel, CommandVerb.Retry, $"id-{random.Next(12)}", random),
    };

    private static async Task<CommandRow> InsertAsync(TestReadModel readModel, CommandVerb verb, string? id, Random? random = null)
    {
        var version = random?.Next(3) == 0 ? "built" : "accounts";
        var (idText, slice) = id is null ? ("NULL", "NULL") : ($"'{id}'", $"{JournalSlices.Of(id)}");
        await readModel.ExecuteAsync(
            "INSERT INTO throttled_projection_command (projection, version, verb, persistence_id, slice, state, created_at) "
            + $"VALUES ('accounts', '{version}', '{verb}', {idText}, {slice}, 'Waiting', {readModel.Dialect.Now})");
        return new(Convert.ToInt64(await readModel.ScalarAsync("SELECT max(id) FROM throttled_projection_command")), version, verb) { PersistenceId = id };
    }
}
