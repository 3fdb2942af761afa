using System.Text.Json;
using Throttled.AspNetCore.Tests.Hosting;

namespace Throttled.AspNetCore.Tests.Endpoints;

/// <summary>The figures of a real journal and of its projections.</summary>
public sealed class StatusTests
{
    [Fact]
    public async Task The_status_has_the_figures_of_the_journal()
    {
        await using var bank = await Bank.OpenAsync();
        await using var host = await PageHost.StartAsync(bank.Register);
        bank.Follow(20);
        bank.FollowAll();
        await bank.AppendAsync("account-1", "account-2");
        var journal = await JournalAsync(host, bank.Name, each =>
            Number(each, "highWaterMark") == 2 && Number(each, "queriesFollowing") >= 21 && Number(each, "permitsUsed") == 0);
        Assert.Equal("closed", journal.GetProperty("circuitBreaker").GetString());
        Assert.InRange(Number(journal, "permitLimit")!.Value, 1, 13);
        Assert.Equal(JsonValueKind.Null, journal.GetProperty("shard").ValueKind);
        Assert.Equal((0, 0, 0), (Number(journal, "permitsUsed"), Number(journal, "gaps"), Number(journal, "brokenSessions")));
        // The first read has no rates; a later one has those since the read before.
        await JournalAsync(host, bank.Name, each => each.GetProperty("statementsPerSecond").ValueKind == JsonValueKind.Number
            && each.GetProperty("statementsPerSecond").GetDouble() > 0 && each.GetProperty("statementDuration").GetProperty("median").GetDouble() > 0);
    }

    [Fact]
    public async Task A_journal_that_cannot_be_read_has_an_open_circuit_breaker()
    {
        await using var bank = await Bank.OpenAsync();
        await using var host = await PageHost.StartAsync(bank.Register);
        bank.OpenArchive();
        await JournalAsync(host, $"{bank.Name}-archive", each => each.GetProperty("circuitBreaker").GetString() is "open" or "half_open");
    }

    [Fact]
    public async Task The_status_has_each_projection_and_its_dead_letters_can_be_listed()
    {
        await using var bank = await Bank.OpenAsync();
        await using var host = await PageHost.StartAsync(bank.Register);
        await bank.AppendAsync("account-1", Bank.Poison);
        var projections = await StatusAsync(host, all => all.Count == 2 && all[0].GetProperty("deadLetters").GetInt64() == 1 && all.All(each => Number(each, "lagEvents") == 0));
        Assert.Equal(["balances", "statements"], projections.Select(each => each.GetProperty("name").GetString()));
        Assert.Equal(("live", 4), (projections[0].GetProperty("role").GetString(), projections[0].GetProperty("lanes").GetArrayLength()));
        var (status, text, _) = await host.GetAsync("/throttled/dead-letters?readModel=0&projection=balances");
        var letter = Assert.Single(JsonDocument.Parse(text).RootElement.EnumerateArray());
        Assert.Equal((200, Bank.Poison), (status, letter.GetProperty("persistenceId").GetString()));
        Assert.Contains("The account has no currency.", letter.GetProperty("error").GetString(), StringComparison.Ordinal);
        Assert.False(letter.TryGetProperty("payload", out _));
    }

    [Fact]
    public async Task An_unknown_projection_or_database_is_named()
    {
        await using var bank = await Bank.OpenAsync();
        await using var host = await PageHost.StartAsync(bank.Register);
        await StatusAsync(host, all => all.Count == 2);
        Assert.Equal(409, (await host.GetAsync("/throttled/dead-letters?readModel=0&projection=other")).Status);
        var (status, _, answer) = await host.GetAsync("/throttled/dead-letters?readModel=7&projection=balances");
        Assert.Equal((404, "'readModel' is 7; read model databases of this process: 1. Reload the page."), (status, await PageHost.ReasonAsync(answer)));
    }

    [Theory]
    [InlineData("projection=balances", "'readModel' is \"\"; it must be the number of a read model database, from 0, in the order of the status.")]
    [InlineData("readModel=first&projection=balances", "'readModel' is \"first\"; it must be the number of a read model database, from 0, in the order of the status.")]
    [InlineData("readModel=0", "'projection' is missing; it must be the name of a projection, as in the status.")]
    public async Task A_request_with_a_wrong_parameter_is_refused_with_the_value_and_the_remedy(string query, string reason)
    {
        await using var host = await PageHost.StartAsync();
        var (status, _, answer) = await host.GetAsync($"/throttled/dead-letters?{query}");
        Assert.Equal((400, reason), (status, await PageHost.ReasonAsync(answer)));
    }

    [Fact]
    public async Task The_live_stream_sends_status_after_status_and_ends_with_the_application()
    {
        var host = await PageHost.StartAsync();
        using var answer = await host.Client.GetAsync(new Uri("/throttled/live", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead);
        Assert.Equal("text/event-stream", answer.Content.Headers.ContentType?.MediaType);
        using var reader = new StreamReader(await answer.Content.ReadAsStreamAsync());
        var times = new List<string?>();
        while (times.Count < 2 && await reader.ReadLineAsync().WithinAsync("two reads") is { } line)
        {
            if (line.StartsWith("data: ", StringComparison.Ordinal))
                times.Add(JsonDocument.Parse(line["data: ".Length..]).RootElement.GetProperty("at").GetString());
        }
        Assert.Equal(2, times.Distinct().Count());
        await host.App.StopAsync().WithinAsync("the application's end", TimeSpan.FromSeconds(20));
        await host.DisposeAsync();
    }

    private static async Task<JsonElement> JournalAsync(PageHost host, string name, Func<JsonElement, bool> isTrue)
    {
        JsonElement? found = null;
        var last = "";
        await Wait.UntilAsync(
            async () =>
            {
                last = await TextAsync(host);
                found = JsonDocument.Parse(last).RootElement.GetProperty("journals").EnumerateArray()
                    .Where(each => each.GetProperty("name").GetString() == name).Cast<JsonElement?>().FirstOrDefault();
                return found is { } one && isTrue(one);
            },
            () => $"figures of {name}; the last were {last}");
        return found!.Value;
    }

    private static async Task<List<JsonElement>> StatusAsync(PageHost host, Func<List<JsonElement>, bool> isTrue)
    {
        List<JsonElement> found = [];
        var last = "";
        await Wait.UntilAsync(
            async () =>
            {
                last = await TextAsync(host);
                found = [.. JsonDocument.Parse(last).RootElement.GetProperty("readModels").EnumerateArray().SelectMany(each => each.GetProperty("projections").EnumerateArray())];
                return isTrue(found);
            },
            () => $"projections; the last were {last}");
        return found;
    }

    private static async Task<string> TextAsync(PageHost host)
    {
        var (status, text, _) = await host.GetAsync("/throttled/status");
        Assert.True(status == 200, text);
        return text;
    }

    private static long? Number(JsonElement item, string name) =>
        item.GetProperty(name) is { ValueKind: JsonValueKind.Number } number ? number.GetInt64() : null;
}
