using Throttled.Testing;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>What a journal is after it was divided.</summary>
public abstract class CopyContract(ReshardHost host)
{
    [ContractTheory]
    [InlineData(TagMode.TagTable, 2)]
    [InlineData(TagMode.Csv, 4)]
    public async Task Every_row_is_in_the_shard_of_its_slice_as_it_was_and_the_old_journal_stays_as_it_is(TagMode tags, int shards)
    {
        var tables = JournalTables.Default with { TagMode = tags };
        var (one, many) = (host.NewDatabase(), host.NewDatabases(shards));
        await History.WriteAsync(host, one, tables);
        var before = await host.DumpAsync(one, "journal");

        var run = await host.Tool("copy", [one], many, "--tag-mode", tags == TagMode.Csv ? "csv" : "table").EndsWithAsync(0);
        await host.Tool("verify", [one], many, "--tag-mode", tags == TagMode.Csv ? "csv" : "table").EndsWithAsync(0);

        Assert.Contains("Every row is there, once.", run.Output);
        Assert.Equal(before, await host.DumpAsync(many, "journal"));
        Assert.Equal(before, await host.DumpAsync(one, "journal"));
        if (tags == TagMode.TagTable)
            Assert.Equal(await host.DumpAsync(one, "tags"), await host.DumpAsync(many, "tags"));
        await AssertPlacesAsync(ShardMap.Even(shards), many, tables);
    }

    [ContractFact]
    public async Task A_reader_goes_on_from_a_stored_position_with_exactly_the_later_events_and_appends_are_numbered_above_all()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        var last = await History.WriteAsync(host, one, JournalTables.Default);
        List<JournalEvent> all;
        await using (var reader = host.OpenReader(one, null))
            all = await reader.CurrentAllEvents().AllAsync();
        var stored = all[all.Count / 3].Ordering;
        await host.Tool("copy", [one], many).EndsWithAsync(0);
        var text = (await new ToolRun(["offset", $"{stored}", "--shards", "2"]).EndsWithAsync(0)).Output.Trim();

        await using var appender = ShardedJournal.OpenAppender(many, host.OpenAppender);
        await appender.AppendAsync([.. History.Ids.Select(id => History.Event(id, 9))]);
        await using var sharded = ShardedJournal.OpenReader(many, host.OpenReader);
        var later = await sharded.CurrentAllEvents(ShardedPosition.Parse(text)).AllAsync();
        var ofOne = await sharded.CurrentEventsByPersistenceId("日本").AllAsync();

        Assert.Equal(
            all.Where(each => each.Ordering > stored).Select(Name).Concat(History.Ids.Select(id => $"{id}/9")).Order(StringComparer.Ordinal),
            later.Select(Name).Order(StringComparer.Ordinal));
        Assert.Equal(9, ofOne[^1].SequenceNumber);
        Assert.All(later.Where(each => each.SequenceNumber == 9), each => Assert.True(each.Ordering > last, $"{each.Ordering} is not above {last}."));
    }

    [ContractFact]
    public async Task The_older_plugins_tables_are_copied_with_all_their_columns_indexes_and_highest_sequence_numbers()
    {
        var (layout, tables) = host.Older;
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await host.RunAsync(one, host.CreateOlder);
        var metadata = layout == "postgresql" ? "metadata" : "journal_metadata";
        var payload = layout == "postgresql" ? "'{\"a\": [1, null, \"é\"]}'" : "x'00ff'";
        var rows = Enumerable.Range(0, 40).Select(i =>
            $"('o-{i % 8}', {(i / 8) + 1}, {(i % 5 == 0 ? host.True : "false")}, 'M{i}', {i}, {payload}, "
            + $"{(i % 3 == 0 ? "';a;b;'" : "NULL")}, {(i % 2 == 0 ? "NULL" : "4")})");
        await host.RunAsync(
            one,
            $"INSERT INTO event_journal (persistence_id, sequence_nr, is_deleted, manifest, {tables.TimestampColumn}, payload, tags, serializer_id) "
            + $"VALUES {string.Join(", ", rows)}");
        await host.RunAsync(one, $"INSERT INTO {metadata} (persistence_id, sequence_nr) VALUES ('gone', 12), ('gone-é', 1), ('o-1', 7)");

        var run = await host.Tool("copy", [one], many, "--layout", layout).EndsWithAsync(0);

        Assert.Equal(await host.DumpAsync(one, "event_journal"), await host.DumpAsync(many, "event_journal"));
        Assert.Equal(await host.DumpAsync(one, metadata), await host.DumpAsync(many, metadata));
        Assert.Contains(metadata, run.Output);
        await using var appender = ShardedJournal.OpenAppender(many, (database, names) => host.OpenAppender(database, names), tables);
        if (layout == "sqlite")
            await appender.AppendAsync([History.Event("o-1", 99)]);
        foreach (var database in many)
            Assert.Equal(1, await host.NumberAsync(database, layout == "sqlite"
                ? "SELECT count(*) FROM sqlite_schema WHERE name = 'of_tags'"
                : "SELECT count(*) FROM pg_indexes WHERE indexname = 'of_tags' AND indexdef LIKE '%WHERE%'"));
    }

    [ContractFact]
    public async Task Two_shards_become_four_and_a_position_of_two_becomes_one_of_four()
    {
        var (two, four) = (host.NewDatabases(2), host.NewDatabases(4));
        string position;
        List<JournalEvent> rest;
        await using (var appender = ShardedJournal.OpenAppender(two, host.OpenAppender))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([.. History.Ids.SelectMany(id => Enumerable.Range(1, 4).Select(number => History.Event(id, number)))]);
        }
        await using (var reader = ShardedJournal.OpenReader(two, host.OpenReader))
        {
            var all = await reader.CurrentAllEvents().AllAsync();
            var read = all.Take(all.Count / 2).Aggregate(ShardedPosition.At(ShardMap.Even(2)), (before, each) => before.After(each));
            (position, rest) = (read.ToString(), all[(all.Count / 2)..]);
        }

        await host.Tool("copy", two, four).EndsWithAsync(0);
        var carried = (await new ToolRun(["offset", position, "--shards", "4"]).EndsWithAsync(0)).Output.Trim();
        await using var sharded = ShardedJournal.OpenReader(four, host.OpenReader);
        var later = await sharded.CurrentAllEvents(ShardedPosition.Parse(carried)).AllAsync();

        Assert.Equal(await host.DumpAsync(two, "journal"), await host.DumpAsync(four, "journal"));
        Assert.Equal(rest.Select(Name).Order(StringComparer.Ordinal), later.Select(Name).Order(StringComparer.Ordinal));
    }

    [ContractFact]
    public async Task An_empty_journal_is_divided_too_and_numbers_on_where_it_was()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        var last = await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        await host.RunAsync(one, "DELETE FROM journal; DELETE FROM tags");

        await host.Tool("copy", [one], many).EndsWithAsync(0);
        await using var reader = ShardedJournal.OpenReader(many, host.OpenReader);
        // All that it ever issued was read: no journal that went back.
        await using var live = LiveReading.Of(reader.AllEvents(ShardedPosition.At(ShardMap.Even(2), last)));
        await using var appender = ShardedJournal.OpenAppender(many, host.OpenAppender);
        await appender.AppendAsync([History.Event("a", 1)]);

        Assert.Equal([last + 1], (await live.UntilAsync(1)).Select(each => each.Ordering));
    }

    [ContractFact]
    public async Task Tags_in_a_table_without_persistence_ids_go_with_their_events_and_those_of_none_are_refused()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        await host.RunAsync(one, "ALTER TABLE tags DROP COLUMN persistence_id; INSERT INTO tags (ordering_id, tag, sequence_nr) VALUES (9999, 'lost', 1)");

        var refused = await host.Tool("copy", [one], many).EndsWithAsync(2);
        await host.RunAsync(one, "DELETE FROM tags WHERE tag = 'lost'");
        await host.Tool("copy", [one], many).EndsWithAsync(0);

        Assert.Contains("or its event is not in the journal", refused.Errors);
        Assert.Equal(await host.DumpAsync(one, "tags"), await host.DumpAsync(many, "tags"));
        foreach (var database in many)
            Assert.Equal(0, await host.NumberAsync(database, "SELECT count(*) FROM tags WHERE ordering_id NOT IN (SELECT ordering FROM journal)"));
    }

    [ContractFact]
    public async Task A_database_by_itself_that_has_the_events_of_one_shard_is_marked_and_one_that_has_others_is_not()
    {
        var databases = host.NewDatabases(2);
        foreach (var shard in Enumerable.Range(0, 2))
        {
            await using var appender = host.OpenAppender(databases[shard], null);
            await appender.CreateAsync();
            await appender.AppendAsync([.. History.Ids.Where(id => JournalSlices.Of(id) / 512 == shard).Select(id => History.Event(id, 1))]);
        }

        var refused = await Mark(databases[0], 1).EndsWithAsync(2);
        await Mark(databases[0], 0).EndsWithAsync(0);
        await Mark(databases[1], 1).EndsWithAsync(0);

        Assert.Contains("rows of slices that shard 1 of \"0-511,512-1023\" does not have", refused.Errors);
        Assert.Equal(History.Ids.Order(StringComparer.Ordinal), (await ReadAsync(databases)).Select(each => each.PersistenceId).Order(StringComparer.Ordinal));
    }

    private ToolRun Mark(string database, int shard) =>
        new(["mark", "--database", host.Database, "--on", database, "--shards", "2", "--shard", $"{shard}"]);

    private async Task<List<JournalEvent>> ReadAsync(string[] databases)
    {
        await using var reader = ShardedJournal.OpenReader(databases, host.OpenReader);
        return await reader.CurrentAllEvents().AllAsync();
    }

    private async Task AssertPlacesAsync(ShardMap map, string[] databases, JournalTables tables)
    {
        for (var shard = 0; shard < databases.Length; shard++)
        {
            await using var reader = host.OpenReader(databases[shard], new() { Tables = tables });
            var ids = await reader.CurrentPersistenceIds().AllAsync();
            Assert.NotEmpty(ids);
            Assert.All(ids, id => Assert.Equal(shard, map.ShardOf(id)));
        }
    }

    private static string Name(JournalEvent each) => $"{each.PersistenceId}/{each.SequenceNumber}";
}
