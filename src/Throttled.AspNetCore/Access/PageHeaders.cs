namespace Throttled.AspNetCore.Access;

/// <summary>The security headers of each response. The page needs only its own files, so the browser may load and run nothing else.</summary>
internal static class PageHeaders
{
    internal const string ContentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    internal static ValueTask<object?> AddAsync(EndpointFilterInvocationContext invocation, EndpointFilterDelegate next)
    {
        var headers = invocation.HttpContext.Response.Headers;
        headers.ContentSecurityPolicy = ContentSecurityPolicy;
        headers.XContentTypeOptions = "nosniff";
        headers.XFrameOptions = "DENY";
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Opener-Policy"] = "same-origin";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
        headers.CacheControl = "no-store";
        return next(invocation);
    }
}
