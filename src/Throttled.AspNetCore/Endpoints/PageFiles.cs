using System.Security.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Net.Http.Headers;

namespace Throttled.AspNetCore.Endpoints;

/// <summary>The files of the page, which are resources of the assembly.</summary>
internal static class PageFiles
{
    private static readonly (string Name, string Type)[] Files =
        [("page.css", "text/css; charset=utf-8"), ("page.js", "text/javascript; charset=utf-8"), ("icon.svg", "image/svg+xml")];

    internal static void Map(RouteGroupBuilder group)
    {
        var page = Answer("index.html", "text/html; charset=utf-8");
        group.MapGet("/", (HttpContext context) => PathOf(context).EndsWith('/') ? page(context) : WithSlash(context));
        foreach (var (name, type) in Files)
        {
            var answer = Answer(name, type);
            group.MapGet($"/{name}", answer);
        }
    }

    // The page has relative links to its files, because behind a proxy it does not know its own path. So that path must end with a slash.
    private static IResult WithSlash(HttpContext context) => TypedResults.Redirect($"{Uri.EscapeDataString(PathOf(context).Split('/')[^1])}/");

    private static string PathOf(HttpContext context) => (context.Request.PathBase + context.Request.Path).Value!;

    // The browser asks each time whether the file has changed. If not, the response is 304.
    private static Func<HttpContext, IResult> Answer(string name, string type)
    {
        var content = Read(name);
        var tag = new EntityTagHeaderValue($"\"{Convert.ToHexStringLower(SHA256.HashData(content).AsSpan(0, 8))}\"");
        return context =>
        {
            context.Response.Headers.CacheControl = "no-cache";
            return TypedResults.Bytes(content, type, entityTag: tag);
        };
    }

    private static byte[] Read(string name)
    {
        using var resource = typeof(PageFiles).Assembly.GetManifestResourceStream(name)!;
        var content = new byte[resource.Length];
        resource.ReadExactly(content);
        return content;
    }
}
