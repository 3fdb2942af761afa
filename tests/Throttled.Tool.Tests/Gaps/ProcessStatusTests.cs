using System.Net;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Throttled.AspNetCore;
using Throttled.Journal.Sqlite;
using Throttled.Testing;

namespace Throttled.Tool.Tests.Gaps;

/// <summary>What a process shows, read from its own page.</summary>
public sealed class ProcessStatusTests : IAsyncLifetime
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-status-");
    private readonly string _name = $"shop-{Guid.NewGuid().ToString()[..6]}";
    private WebApplication _application = null!;

    private string Journal => $"Data Source={Path.Combine(_directory.FullName, "journal.db")};Pooling=False";

    private string Address => _application.Urls.First();

    public async Task InitializeAsync()
    {
        var builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { ApplicationName = "Status" });
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        _application = builder.Build();
        _application.Use((context, next) =>
        {
            if (context.Request.Query.ContainsKey("remote"))
                context.Connection.RemoteIpAddress = IPAddress.Parse("192.0.2.1");
            return next();
        });
        _application.MapThrottled();
        _application.MapGet("/other", () => Results.Json(new { journals = new[] { new { name = "x" } } }));
        _application.MapGet("/login", () => Results.Text("<html>", "text/html"));
        _application.MapGet("/policy", () => Results.StatusCode(StatusCodes.Status401Unauthorized));
        await _application.StartAsync();
        await using var appender = SqliteJournal.OpenAppender(Journal);
        await appender.CreateAsync();
        await appender.AppendAsync(TestEvents.Of("order-1", 1, 2));
    }

    public async Task DisposeAsync()
    {
        await _application.DisposeAsync();
        _directory.Delete(recursive: true);
    }

    [Fact]
    public async Task The_queries_permits_and_waits_of_a_process_are_printed_with_and_without_its_database()
    {
        await using var reader = SqliteJournal.OpenReader(Journal, new() { Name = _name, MaxConcurrentQueries = 2 });
        await using var all = LiveReading.Of(reader.AllEvents());
        await all.UntilAsync(2);
        var last = new ToolOutput(0, "", "");
        // A query follows a little later than it has its events.
        await Wait.UntilAsync(
            async () => (last = await RunAsync($"{Address}/throttled/status")).Output is var text
                && text.Contains("queries          1 following, 0 lagging", StringComparison.Ordinal) && text.Contains("permits          0 of", StringComparison.Ordinal),
            () => $"{last}");
        Assert.Equal((0, ""), (last.Code, last.Errors));
        Assert.Contains($"journal          '{_name}' in the process; its circuit breaker is closed", last.Output, StringComparison.Ordinal);
        Assert.Matches(@"permits          0 of \d+ used; 0 queries wait for one", last.Output);
        Assert.Matches("permit waits     (none|.* in the last second: median .* ms, 99th percentile .* ms)", last.Output);
        Assert.DoesNotContain("journal end", last.Output, StringComparison.Ordinal);

        var both = await RunAsync($"{Address}/throttled/status", "--database", "sqlite", "--connection", Journal, "--json");
        using var json = JsonDocument.Parse(both.Output);
        Assert.Equal(2, json.RootElement.GetProperty("journalEnd").GetInt64());
        var shown = Assert.Single(json.RootElement.GetProperty("processJournals").EnumerateArray(), each => each.GetProperty("name").GetString() == _name);
        Assert.Equal(1, shown.GetProperty("queriesFollowing").GetInt64());
        Assert.Equal(JsonValueKind.Number, shown.GetProperty("statementsPerSecond").ValueKind);
    }

    [Fact]
    public async Task Journals_with_the_same_name_are_numbered_as_on_the_page()
    {
        await using var first = SqliteJournal.OpenReader(Journal, new() { Name = _name });
        await using var second = SqliteJournal.OpenReader(Journal, new() { Name = _name });

        var text = await RunAsync($"{Address}/throttled/status");
        Assert.Contains($"journal          '{_name}' in the process; ", text.Output, StringComparison.Ordinal);
        Assert.Contains($"journal          '{_name}', reader 2 in the process; ", text.Output, StringComparison.Ordinal);

        using var json = JsonDocument.Parse((await RunAsync($"{Address}/throttled/status", "--json")).Output);
        var instances = json.RootElement.GetProperty("processJournals").EnumerateArray()
            .Where(each => each.GetProperty("name").GetString() == _name).Select(each => each.GetProperty("instance").ToString());
        Assert.Equal(["", "2"], instances);
    }

    [Theory]
    [InlineData("nowhere", "it must be an http or https address")]
    [InlineData("ftp://localhost/throttled/status", "it must be an http or https address")]
    [InlineData("http://127.0.0.1:1/throttled/status", "it cannot be reached: ")]
    [InlineData("/throttled", "its answer is not the status of Throttled's page. Give the address of the page with '/status' at its end")]
    [InlineData("/login", "its answer is not the status of Throttled's page.")]
    [InlineData("/other", "its answer is not the status of Throttled's page.")]
    [InlineData("/nothing", "it answers with 404. Give the address of the page")]
    [InlineData("/throttled/status?remote", "the page refuses the request with 403. It says: This request comes from another machine. No authorization policy covers this page")]
    [InlineData("/policy", "the page refuses the request with 401. Its authorization policy requires a login")]
    public async Task What_is_no_status_is_refused_with_a_remedy(string address, string reason)
    {
        var url = address.StartsWith('/') ? Address + address : address;
        var (code, output, errors) = await RunAsync(url);
        Assert.Equal((2, ""), (code, output));
        Assert.StartsWith($"error: --status is '{url}'; {reason}", errors, StringComparison.Ordinal);
    }

    private static Task<ToolOutput> RunAsync(string address, params string[] options) => ToolOutput.OfAsync(["journal", "--status", address, .. options]);
}
