using System.Net;
using Microsoft.AspNetCore.Builder;
using Throttled.AspNetCore.Tests.Hosting;

namespace Throttled.AspNetCore.Tests.Access;

/// <summary>Who gets an answer: this machine, or those whom a policy allows.</summary>
public sealed class LoopbackRuleTests
{
    private static readonly string[] Paths = ["/throttled/", "/throttled/page.js", "/throttled/status", "/throttled/live", "/throttled/commands", "/throttled/dead-letters?readModel=0&projection=x"];

    [Theory]
    [InlineData("127.0.0.1", "localhost:5000", null)]
    [InlineData("127.8.9.1", "127.0.0.1", null)]
    [InlineData("::1", "[::1]:5000", null)]
    [InlineData("::ffff:127.0.0.1", "shop.localhost", null)]
    [InlineData("10.0.0.7", "localhost", "This request comes from another machine.")]
    [InlineData("::ffff:10.0.0.7", "localhost", "This request comes from another machine.")]
    [InlineData("fe80::1", "localhost", "This request comes from another machine.")]
    [InlineData("none", "localhost", "This request comes from another machine.")]
    [InlineData("127.0.0.1", "bank.example", "This request names a host that is not localhost.")]
    [InlineData("127.0.0.1", "127.0.0.1.bank.example", "This request names a host that is not localhost.")]
    [InlineData("127.0.0.1", "10.0.0.7", "This request names a host that is not localhost.")]
    public async Task Without_a_policy_only_this_machine_gets_an_answer(string from, string name, string? reason)
    {
        await using var host = await PageHost.StartAsync();
        var (status, text, _) = await host.GetAsync("/throttled/", (PageHost.From, from), ("Host", name));
        Assert.Equal(reason is null ? 200 : 403, status);
        if (reason is not null)
            Assert.Equal(
                $"{reason} No authorization policy covers this page, so it answers only requests from this machine. Open it as http://localhost:PORT/… on the "
                + "machine itself, or add '.RequireAuthorization(\"ops\")' to 'MapThrottled'.",
                text);
    }

    [Theory]
    [InlineData("X-Forwarded-For")]
    [InlineData("X-Forwarded-Host")]
    [InlineData("X-Forwarded-Proto")]
    [InlineData("Forwarded")]
    [InlineData("X-Real-IP")]
    [InlineData("Via")]
    [InlineData("X-Original-For")]
    public async Task Without_a_policy_a_request_through_a_proxy_is_refused(string header)
    {
        await using var host = await PageHost.StartAsync();
        var (status, text, _) = await host.GetAsync("/throttled/", (header, "127.0.0.1"));
        Assert.Equal(403, status);
        Assert.StartsWith($"This request came through a proxy: it has the header {header}. ", text, StringComparison.Ordinal);
    }

    // nginx sends such requests, with 'proxy_pass http://localhost:5000;' alone.
    [Fact]
    public async Task Without_a_policy_a_request_as_nginx_sends_it_is_refused()
    {
        await using var host = await PageHost.StartAsync();
        using var request = new HttpRequestMessage(HttpMethod.Get, "/throttled/") { Version = HttpVersion.Version10, Headers = { Host = "localhost:5000" } };
        using var answer = await host.Client.SendAsync(request);
        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
        Assert.StartsWith("This request came through a proxy: it is HTTP/1.0, ", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Every_endpoint_follows_the_rule()
    {
        await using var host = await PageHost.StartAsync(options: new() { AllowCommands = true });
        foreach (var path in Paths)
            Assert.Equal((path, 403), (path, (await host.GetAsync(path, (PageHost.From, "10.0.0.7"))).Status));
        using var command = await host.Client.PostAsync(new Uri("/throttled/commands", UriKind.Relative), new StringContent("{}") { Headers = { { PageHost.From, "10.0.0.7" } } });
        Assert.NotEqual(200, (int)command.StatusCode);
    }

    [Fact]
    public async Task A_policy_covers_every_endpoint_and_lets_others_in()
    {
        await using var host = await PageHost.StartAsync(options: new() { AllowCommands = true }, group: page => page.RequireAuthorization("ops"));
        foreach (var path in Paths)
            Assert.Equal((path, 401), (path, (await host.GetAsync(path)).Status));
        var (status, _, _) = await host.GetAsync("/throttled/", (PageHost.User, "ada"), (PageHost.From, "10.0.0.7"), ("Host", "bank.example"), ("X-Forwarded-For", "10.0.0.8"));
        Assert.Equal(200, status);
    }

    [Fact]
    public async Task Anonymous_access_is_no_policy()
    {
        await using var host = await PageHost.StartAsync(group: page => page.RequireAuthorization("ops").AllowAnonymous());
        Assert.Equal(403, (await host.GetAsync("/throttled/", (PageHost.From, "10.0.0.7"))).Status);
        Assert.Equal(200, (await host.GetAsync("/throttled/")).Status);
    }
}
