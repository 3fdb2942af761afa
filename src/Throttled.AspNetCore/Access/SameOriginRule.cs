namespace Throttled.AspNetCore.Access;

/// <summary>
/// A request that changes something must come from the page itself, not from a page of another site in the same browser. Browsers send the header
/// <c>Sec-Fetch-Site</c>; requests of other clients lack it and pass. The antiforgery token protects as well.
/// </summary>
internal static class SameOriginRule
{
    internal static async ValueTask<object?> CheckAsync(EndpointFilterInvocationContext invocation, EndpointFilterDelegate next) =>
        IsForeign(invocation.HttpContext.Request)
            ? TypedResults.Text("This command comes from a page of another site. Use the buttons of the page itself.", statusCode: StatusCodes.Status403Forbidden)
            : await next(invocation).ConfigureAwait(false);

    private static bool IsForeign(HttpRequest request) =>
        !HttpMethods.IsGet(request.Method) && !HttpMethods.IsHead(request.Method)
        && request.Headers["Sec-Fetch-Site"].ToString() is not ("" or "same-origin" or "none");
}
