using System.Text.Json;
using Throttled.Testing;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>What a plan says, compared with the copy that follows; and what the verbs print with <c>--json</c>.</summary>
public abstract class PlanContract(ReshardHost host)
{
    [ContractFact]
    public async Task A_plan_has_the_rows_and_sizes_of_the_copy_and_writes_nothing()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default);
        var before = await host.DumpAsync(one, "journal");

        using var plan = await JsonAsync("plan", [one], many, 0);
        Assert.All(Shards(plan), shard => Assert.True(shard.GetProperty("isWritten").GetBoolean()));
        await AssertEmptyAsync(many);
        using var unnamed = await JsonAsync("plan", [one], [], 0, "--shards", "2");
        Assert.All(Shards(unnamed), shard => Assert.Equal(JsonValueKind.Null, shard.GetProperty("isWritten").ValueKind));
        Assert.Equal(Figures(plan), Figures(unnamed));
        using var copy = await JsonAsync("copy", [one], many, 0);
        Assert.True(copy.RootElement.GetProperty("isEqual").GetBoolean());
        Assert.All(Shards(copy), shard => Assert.Equal("written", shard.GetProperty("state").GetString()));
        Assert.Equal(Figures(plan), Figures(copy, table => table.GetProperty("found")));
        Assert.Equal(before.Length, Shards(plan).Sum(shard => shard.GetProperty("tables")[0].GetProperty("rows").GetInt64()));
        Assert.Equal(before, await host.DumpAsync(one, "journal"));

        using var again = await JsonAsync("plan", [one], many, 0);
        Assert.All(Shards(again), shard => Assert.False(shard.GetProperty("isWritten").GetBoolean()));
        var text = (await host.Tool("plan", [one], many).EndsWithAsync(0)).Output;
        Assert.Contains("Nothing was written.", text);
        Assert.Matches(@"\n1      512-1023  journal +\d+ +\d+\.\d  --from number 0  compare it\n", text.ReplaceLineEndings("\n"));
        Assert.Matches(@"The rows were read in [\d.]+ s. A copy takes longer", text);
    }

    [ContractFact]
    public async Task A_plan_is_refused_where_the_copy_would_be()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);

        Assert.Contains("are the same database", (await host.Tool("plan", [one], [one, many[0]]).EndsWithAsync(2)).Errors);
        await History.WriteAsync(host, many[1], JournalTables.Default, rounds: 1);
        Assert.Contains("rows already, and no mark that they were copied.", (await host.Tool("plan", [one], many).EndsWithAsync(2)).Errors);
        await AssertEmptyAsync([many[0]]);
    }

    [ContractFact]
    public async Task Json_says_which_rows_differ_and_what_to_do()
    {
        var (one, many) = (host.NewDatabase(), host.NewDatabases(2));
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        await host.Tool("copy", [one], many).EndsWithAsync(0);
        var lost = await host.RunAsync(many[1], "DELETE FROM journal WHERE ordering = (SELECT min(ordering) FROM journal)");

        using var verify = await JsonAsync("verify", [one], many, 1);
        Assert.False(verify.RootElement.GetProperty("isEqual").GetBoolean());
        var shard = Assert.Single(Shards(verify), each => each.GetProperty("state").GetString() == "differs");
        Assert.Equal(1, shard.GetProperty("shard").GetInt32());
        Assert.Equal($"{lost} rows missing", shard.GetProperty("tables")[0].GetProperty("fault").GetString());
        Assert.Contains(verify.RootElement.GetProperty("advice").EnumerateArray(), line => line.GetString() == "Not every row is where it should be.");
    }

    [ContractFact]
    public async Task A_mark_is_printed_as_json()
    {
        var one = host.NewDatabase();
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        var run = await new ToolRun(["mark", "--database", host.Database, "--on", one, "--shards", "1", "--shard", "0", "--json"]).EndsWithAsync(0);
        using var json = JsonDocument.Parse(run.Output);
        Assert.Equal("0-1023", json.RootElement.GetProperty("slices").GetString());
        Assert.True(json.RootElement.GetProperty("rows").GetInt64() > 0);
    }

    private async Task<JsonDocument> JsonAsync(string verb, string[] from, string[] to, int code, params string[] more) =>
        JsonDocument.Parse((await host.Tool(verb, from, to, [.. more, "--json"]).EndsWithAsync(code)).Output);

    private static IEnumerable<JsonElement> Shards(JsonDocument json) => json.RootElement.GetProperty("shards").EnumerateArray();

    // The table, rows and bytes of each shard.
    private static IEnumerable<(int, string?, long, long)> Figures(JsonDocument json, Func<JsonElement, JsonElement>? figures = null) =>
        from shard in Shards(json)
        from table in shard.GetProperty("tables").EnumerateArray()
        let sum = figures is null ? table : figures(table)
        select (shard.GetProperty("shard").GetInt32(), table.GetProperty("table").GetString(), sum.GetProperty("rows").GetInt64(), sum.GetProperty("bytes").GetInt64());

    private async Task AssertEmptyAsync(string[] databases)
    {
        foreach (var database in databases)
        {
            if (host.Database == "sqlite")
                Assert.False(host.Open(database, JournalTables.Default).IsThere);
            else
                Assert.Equal(0, await host.NumberAsync(database, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"));
        }
    }
}
