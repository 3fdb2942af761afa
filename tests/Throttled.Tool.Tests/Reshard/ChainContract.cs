using Throttled.Testing;
using Throttled.Tool.Reshard;
using Xunit.Abstractions;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>Journals of every layout, divided, written to, and divided again.</summary>
public abstract class ChainContract(ReshardHost host, ITestOutputHelper output)
{
    public static TheoryData<string, TagMode> All { get; } = Layouts.All();

    [ContractTheory]
    [MemberData(nameof(All))]
    public async Task A_journal_that_is_divided_and_divided_again_has_all_rows_and_positions(string layout, TagMode mode)
    {
        var seed = int.TryParse(Environment.GetEnvironmentVariable("THROTTLED_SEED"), out var given) ? given : Random.Shared.Next();
        output.WriteLine($"THROTTLED_SEED={seed}");
        var random = new Random(seed);
        var tables = Layouts.Named(layout, mode);
        if (host.Database == "sqlite")
            tables = tables with { Schema = null };
        string[] databases = [host.NewDatabase()];
        await History.WriteAsync(host, databases[0], tables, rounds: 5);
        var (map, position) = (ShardMap.Even(1), ShardedPosition.At(ShardMap.Even(1)));
        for (var round = 10; round < 13; round++)
        {
            var next = Cut(map, random);
            var target = host.NewDatabases(next.Count);
            await CopyAsync(databases, target, next, tables);
            Assert.Equal(await DumpAsync(databases, tables), await DumpAsync(target, tables));
            var rest = await RestAsync(databases, map, position, tables);
            (databases, map, position) = (target, next, position.On(next));
            var carried = await RestAsync(databases, map, ShardedPosition.Parse(position.ToString()), tables);
            Assert.Equal(rest.Select(Name).Order(StringComparer.Ordinal), carried.Select(Name).Order(StringComparer.Ordinal));
            position = carried.Take(random.Next(carried.Count)).Aggregate(position, (before, each) => before.After(each));
            await AppendAsync(databases, map, tables, round);
        }
    }

    // Some of its ranges in two.
    private static ShardMap Cut(ShardMap map, Random random)
    {
        List<string> ranges = [];
        foreach (var range in map.ToString().Split(',').Select(range => range.Split('-').Select(int.Parse).ToArray()))
        {
            if (range[0] == range[1] || (random.Next(3) == 0 && map.Count > 1))
            {
                ranges.Add($"{range[0]}-{range[1]}");
                continue;
            }
            var cut = random.Next(range[0], range[1]);
            ranges.AddRange([$"{cut + 1}-{range[1]}", $"{range[0]}-{cut}"]);
        }
        return ShardMap.Parse(string.Join(',', ranges));
    }

    private async Task CopyAsync(string[] databases, string[] target, ShardMap map, JournalTables tables)
    {
        var from = databases.Select(database => host.Open(database, tables)).ToList();
        var to = target.Select(database => host.Open(database, tables)).ToList();
        var report = await new Resharding(new(tables, "journal_metadata"), from, to, map, new MoveProgress(output.WriteLine, bar: null, TimeProvider.System)).CopyAsync(default);
        foreach (var database in from.Concat(to))
            await database.DisposeAsync();
        Assert.True(report.IsEqual, $"{report}");
        Assert.All(report.Shards, shard => Assert.Equal(ShardState.Written, shard.State));
    }

    private async Task<string[]> DumpAsync(string[] databases, JournalTables tables) =>
    [
        .. await host.DumpAsync(databases, host.Quoted(tables, tables.JournalTable)),
        .. tables.TagMode == TagMode.TagTable ? await host.DumpAsync(databases, host.Quoted(tables, tables.TagTable)) : [],
    ];

    private async Task<List<JournalEvent>> RestAsync(string[] databases, ShardMap map, ShardedPosition position, JournalTables tables)
    {
        await using var reader = ShardedJournal.OpenReader(databases, host.OpenReader, new() { Tables = tables }, map);
        return await reader.CurrentAllEvents(position).AllAsync();
    }

    private async Task AppendAsync(string[] databases, ShardMap map, JournalTables tables, int number)
    {
        await using var appender = ShardedJournal.OpenAppender(databases, host.OpenAppender, tables, map);
        await appender.AppendAsync([.. History.Ids.Select(id => History.Event(id, number))]);
    }

    private static string Name(JournalEvent each) => $"{each.PersistenceId}/{each.SequenceNumber}/{each.Ordering}";
}

[Trait("Category", "Long")]
public sealed class SqliteChainTests(SqliteReshardHost host, ITestOutputHelper output) : ChainContract(host, output), IClassFixture<SqliteReshardHost>;

[Collection(ServerCollection.Name)]
[Trait("Category", "Long")]
public sealed class PostgreSqlChainTests(PostgreSqlReshardHost host, ITestOutputHelper output) : ChainContract(host, output);
