using System.Net;
using Microsoft.AspNetCore.Authorization;

namespace Throttled.AspNetCore.Access;

/// <summary>
/// Without an authorization policy, the page answers only requests from this machine. A proxy on this machine forwards requests of other machines, so a
/// request with a header of a proxy is refused. The request must also name localhost or a loopback address as its host. This prevents DNS rebinding,
/// where the name of a foreign site resolves to this machine.
/// </summary>
internal static class LoopbackRule
{
    private const string Remedy =
        "No authorization policy covers this page, so it answers only requests from this machine. "
        + "Open it as http://localhost:PORT/… on the machine itself, or add '.RequireAuthorization(\"ops\")' to 'MapThrottled'.";

    // ASP.NET Core's middleware for forwarded headers may remove the first three, and then adds the last three.
    private static readonly string[] OfProxies =
    [
        "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "X-Real-IP", "Via", "X-Original-For", "X-Original-Host", "X-Original-Proto",
    ];

    internal static async ValueTask<object?> CheckAsync(EndpointFilterInvocationContext invocation, EndpointFilterDelegate next) =>
        ReasonToRefuse(invocation.HttpContext) is { } reason
            ? TypedResults.Text($"{reason} {Remedy}", statusCode: StatusCodes.Status403Forbidden)
            : await next(invocation).ConfigureAwait(false);

    /// <summary>Why the request is refused; null if it is not.</summary>
    internal static string? ReasonToRefuse(HttpContext context)
    {
        if (HasPolicy(context.GetEndpoint()))
            return null;
        if (!IsLoopback(context.Connection.RemoteIpAddress))
            return "This request comes from another machine.";
        if (OfProxies.FirstOrDefault(context.Request.Headers.ContainsKey) is { } header)
            return $"This request came through a proxy: it has the header {header}.";
        // nginx adds none of these headers unless told to, and names the host as its own configuration does. Until 1.29.7 it sends HTTP/1.0.
        if (HttpProtocol.IsHttp10(context.Request.Protocol))
            return "This request came through a proxy: it is HTTP/1.0, which no browser sends.";
        return IsName(context.Request.Host.Host) ? null : "This request names a host that is not localhost.";
    }

    // ASP.NET Core checks no policy of an endpoint that allows anonymous requests.
    private static bool HasPolicy(Endpoint? endpoint) =>
        endpoint?.Metadata.GetMetadata<IAuthorizeData>() is not null && endpoint.Metadata.GetMetadata<IAllowAnonymous>() is null;

    // A request without an address came over a Unix domain socket, usually from a proxy.
    private static bool IsLoopback(IPAddress? address) =>
        address is not null && IPAddress.IsLoopback(address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address);

    private static bool IsName(string host) =>
        host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
        || host.EndsWith(".localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(host, out var address) && IsLoopback(address));
}
