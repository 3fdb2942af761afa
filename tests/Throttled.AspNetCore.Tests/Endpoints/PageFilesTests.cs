using System.Net;
using System.Text.RegularExpressions;
using Throttled.AspNetCore.Access;
using Throttled.AspNetCore.Tests.Hosting;

namespace Throttled.AspNetCore.Tests.Endpoints;

/// <summary>The files of the page: small, complete, and under a strict policy.</summary>
public sealed partial class PageFilesTests
{
    private const int MostBytes = 60 * 1024;

    private static readonly string[] Names = ["index.html", "page.css", "page.js", "icon.svg"];

    [Fact]
    public void All_files_together_are_below_60_KB()
    {
        var assembly = typeof(ThrottledPageOptions).Assembly;
        Assert.Equal(Names.Order(), assembly.GetManifestResourceNames().Order());
        Assert.InRange(Names.Sum(name => assembly.GetManifestResourceStream(name)!.Length), 1, MostBytes);
    }

    [Fact]
    public void No_file_names_another_site_or_has_code_or_styles_that_the_policy_forbids()
    {
        foreach (var name in Names)
        {
            var text = Text(name).Replace("http://www.w3.org/2000/svg", "", StringComparison.Ordinal);
            Assert.False(Address().IsMatch(text), $"{name} names another site.");
            Assert.False(Forbidden().IsMatch(text), $"{name} has what the policy forbids: {Forbidden().Match(text)}");
        }
    }

    [Theory]
    [InlineData("/throttled/", "text/html; charset=utf-8")]
    [InlineData("/throttled/page.css", "text/css; charset=utf-8")]
    [InlineData("/throttled/page.js", "text/javascript; charset=utf-8")]
    [InlineData("/throttled/icon.svg", "image/svg+xml")]
    public async Task A_file_has_its_type_and_the_headers_and_is_sent_again_only_if_it_changed(string path, string type)
    {
        await using var host = await PageHost.StartAsync();
        var (status, text, answer) = await host.GetAsync(path);
        Assert.Equal((200, type), (status, $"{answer.Content.Headers.ContentType}"));
        Assert.NotEmpty(text);
        HasHeaders(answer);
        var (again, _, _) = await host.GetAsync(path, ("If-None-Match", $"{answer.Headers.ETag}"));
        Assert.Equal((int)HttpStatusCode.NotModified, again);
    }

    [Theory]
    [InlineData("/throttled/status", 200)]
    [InlineData("/throttled/dead-letters?readModel=0&projection=x", 404)]
    public async Task Every_answer_has_the_headers(string path, int expected)
    {
        await using var host = await PageHost.StartAsync();
        var (status, _, answer) = await host.GetAsync(path);
        Assert.Equal(expected, status);
        HasHeaders(answer);
        Assert.Equal("no-store", $"{answer.Headers.CacheControl}");
    }

    [Fact]
    public async Task The_path_without_a_slash_leads_to_the_one_with_it()
    {
        await using var host = await PageHost.StartAsync();
        var (status, _, answer) = await host.GetAsync("/throttled");
        Assert.Equal((302, "throttled/"), (status, $"{answer.Headers.Location}"));
    }

    [Fact]
    public void The_policy_allows_nothing_but_the_pages_own_files()
    {
        Assert.StartsWith("default-src 'none'; ", PageHeaders.ContentSecurityPolicy, StringComparison.Ordinal);
        Assert.DoesNotContain("unsafe", PageHeaders.ContentSecurityPolicy, StringComparison.Ordinal);
        Assert.DoesNotContain("*", PageHeaders.ContentSecurityPolicy, StringComparison.Ordinal);
    }

    private static void HasHeaders(HttpResponseMessage answer)
    {
        Assert.Equal(PageHeaders.ContentSecurityPolicy, Assert.Single(answer.Headers.GetValues("Content-Security-Policy")));
        Assert.Equal("nosniff", Assert.Single(answer.Headers.GetValues("X-Content-Type-Options")));
        Assert.Equal("DENY", Assert.Single(answer.Headers.GetValues("X-Frame-Options")));
        Assert.Equal("no-referrer", Assert.Single(answer.Headers.GetValues("Referrer-Policy")));
    }

    private static string Text(string name)
    {
        using var reader = new StreamReader(typeof(ThrottledPageOptions).Assembly.GetManifestResourceStream(name)!);
        return reader.ReadToEnd();
    }

    [GeneratedRegex("""https?:|["'(]//""")]
    private static partial Regex Address();

    [GeneratedRegex("""\son\w+="|\sstyle="|<style|javascript:|innerHTML|eval\(""")]
    private static partial Regex Forbidden();
}
