using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>Ten thousand waiting commands: what each reading costs, and that none is hidden for long.</summary>
public sealed class CommandBacklogTests
{
    private const int Many = 10_000;
    private const int Lanes = 4;

    [Fact]
    public async Task A_reading_reads_at_most_three_pages_and_gets_to_know_all_commands_in_their_order()
    {
        SortedDictionary<long, CommandRow> table = new(Enumerable.Range(1, Many).ToDictionary(id => (long)id, id => Command(id)));
        var (random, backlog, added) = (new Random(5), CommandBacklog.Empty, Many);
        for (var reading = 1; reading <= 60; reading++)
        {
            List<int> pages = [];
            backlog = await backlog.NextAsync(after =>
            {
                List<CommandRow> page = [.. table.Values.SkipWhile(command => command.Id <= after).Take(CommandBacklog.Page)];
                pages.Add(page.Count);
                return Task.FromResult(page);
            });
            Assert.InRange(pages.Count, 1, 3);
            Assert.Equal(backlog.Known.Select(command => command.Id).Distinct().Order(), backlog.Known.Select(command => command.Id));
            // All that wait, up to the last known one.
            Assert.Empty(table.Keys.TakeWhile(id => id <= backlog.Known[^1].Id).Except(backlog.Known.Select(command => command.Id)));
            Assert.Equal(reading < Many / CommandBacklog.Page ? (reading + 1) * CommandBacklog.Page : table.Count, backlog.Known.Count);
            if (reading <= 12)
                continue;
            // Some of the first page end, and some new ones are given.
            foreach (var ended in table.Keys.Take(CommandBacklog.Page).Where(_ => random.Next(3) == 0).ToList())
                table.Remove(ended);
            for (var i = random.Next(CommandBacklog.Page / 2); i > 0; i--)
                table[++added] = Command(added);
        }
    }

    [Fact]
    public async Task A_command_that_was_committed_late_or_has_ended_in_the_middle_is_noticed_in_turn()
    {
        SortedDictionary<long, CommandRow> table = new(Enumerable.Range(1, 5 * CommandBacklog.Page).Where(id => id != 3_500).ToDictionary(id => (long)id, id => Command(id)));
        var backlog = CommandBacklog.Empty;
        for (var reading = 1; reading <= 6; reading++)
            backlog = await NextAsync();
        table[3_500] = Command(3_500);
        table.Remove(4_200);
        for (var reading = 1; reading <= 6; reading++)
            backlog = await NextAsync();
        Assert.Equal(table.Keys, backlog.Known.Select(command => command.Id));

        Task<CommandBacklog> NextAsync() =>
            backlog.NextAsync(after => Task.FromResult<List<CommandRow>>([.. table.Values.Where(command => command.Id > after).Take(CommandBacklog.Page)]));
    }

    [Fact]
    public async Task A_full_backlog_reads_no_page_after_its_end_until_commands_have_ended()
    {
        List<CommandRow> table = [.. Enumerable.Range(1, CommandBacklog.MaxKnown + (3 * CommandBacklog.Page)).Select(Command)];
        // The page after the cursor ends after the last command that has room.
        var backlog = new CommandBacklog([.. table.Take(CommandBacklog.MaxKnown - 500)], CommandBacklog.MaxKnown - 300);
        await ReadAsync(pages: 3);
        for (var reading = 1; reading <= 3; reading++)
            await ReadAsync(pages: 2);
        backlog = backlog with { Cursor = CommandBacklog.MaxKnown - 300 };
        await ReadAsync(pages: 2);
        await ReadAsync(pages: 2);

        table.RemoveRange(0, CommandBacklog.Page + 500);
        await ReadAsync(pages: 3, known: CommandBacklog.MaxKnown - 500);
        await ReadAsync(pages: 3);
        await ReadAsync(pages: 2);

        async Task ReadAsync(int pages, int known = CommandBacklog.MaxKnown)
        {
            List<long> read = [];
            backlog = await backlog.NextAsync(after =>
            {
                read.Add(after);
                return Task.FromResult<List<CommandRow>>([.. table.SkipWhile(command => command.Id <= after).Take(CommandBacklog.Page)]);
            });
            Assert.Equal(pages, read.Count);
            Assert.Equal(table.Take(known), backlog.Known);
        }
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Ten_thousand_retries_hide_no_other_command_for_more_than_ten_readings_and_ended_ones_are_not_given(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: Lanes);
        string[] ids = [.. Enumerable.Range(0, 10 * Many).Select(number => $"id-{number}").Where(id => LaneOf(id) == 0).Take(Many)];
        await InsertAsync(readModel, "Retry", ids);
        var other = Enumerable.Range(0, 100).Select(number => $"id-{number}").First(id => LaneOf(id) == 3);
        await InsertAsync(readModel, "Retry", [other]);
        await InsertAsync(readModel, "Discard", [ids[^1]]);
        await InsertAsync(readModel, "Reset", null);

        IReadOnlyList<CommandRow> read = [];
        for (var reading = 1; reading <= Many / CommandBacklog.Page; reading++)
        {
            read = (await readModel.Store.ReadAsync("accounts", 40, default)).Commands;
            Assert.InRange(read.Count(command => command.IsForLane && LaneOf(command.PersistenceId!) == 0), 1, 10);
        }
        Assert.Equal([CommandVerb.Reset, CommandVerb.Retry, CommandVerb.Discard], read.Take(3).Select(command => command.Verb));
        Assert.Equal([null, ids[^1], ids[^1]], read.Take(3).Select(command => command.PersistenceId));
        Assert.Contains(other, read.Select(command => command.PersistenceId));

        // Not in the first page, so only the check of the chosen ones shows it.
        await readModel.ExecuteAsync($"UPDATE throttled_projection_command SET state = 'Withdrawn' WHERE persistence_id IN ('{ids[^1]}', '{other}')");
        read = (await readModel.Store.ReadAsync("accounts", 40, default)).Commands;
        Assert.Equal(CommandVerb.Reset, read[0].Verb);
        Assert.Equal(ids.Take(10), read.Skip(1).Select(command => command.PersistenceId));

        await readModel.ExecuteAsync("UPDATE throttled_projection_command SET state = 'Withdrawn'");
        Assert.Empty((await readModel.Store.ReadAsync("accounts", 40, default)).Commands);
    }

    [Theory, OnPostgreSql]
    public async Task A_page_reads_no_row_that_it_does_not_return(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync(lanes: Lanes);
        await InsertAsync(readModel, "Retry", [.. Enumerable.Range(0, Many).Select(number => $"id-{number}")]);
        await readModel.ExecuteAsync("ANALYZE throttled_projection_command");
        await using var command = readModel.ReadModel.Source.CreateCommand(
            "EXPLAIN ANALYZE SELECT id FROM throttled_projection_command WHERE projection = 'accounts' AND state = 'Waiting' AND id > 5000 ORDER BY id LIMIT 1000");
        await using var row = await command.ExecuteReaderAsync();
        List<string> plan = [];
        while (await row.ReadAsync())
            plan.Add(row.GetString(0));
        var scan = Assert.Single(plan, line => line.Contains("Scan using", StringComparison.Ordinal));
        Assert.Matches(@"actual .*rows=1000(\.00)? loops=1", scan);
        Assert.DoesNotContain(plan, line => line.Contains("Rows Removed", StringComparison.Ordinal));
    }

    private static CommandRow Command(int id) => new(id, "accounts", CommandVerb.Retry) { PersistenceId = $"id-{id}" };

    private static int LaneOf(string id) => JournalSlices.Of(id) / (JournalSlices.Count / Lanes);

    private static async Task InsertAsync(TestReadModel readModel, string verb, string[]? ids)
    {
        foreach (var some in (ids ?? [""]).Chunk(500))
        {
            var rows = some.Select(id => $"('accounts', 'accounts', '{verb}', {(ids is null ? "NULL, NULL" : $"'{id}', {JournalSlices.Of(id)}")}, 'Waiting', {readModel.Dialect.Now})");
            await readModel.ExecuteAsync(
                $"INSERT INTO throttled_projection_command (projection, version, verb, persistence_id, slice, state, created_at) VALUES {string.Join(", ", rows)}");
        }
    }
}
