using System.Text.Json;
using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;
using Throttled.AspNetCore.Diagnostics;
using Throttled.AspNetCore.Status;

namespace Throttled.AspNetCore.Endpoints;

/// <summary>A command of the page to a projection.</summary>
/// <param name="ReadModel">The number of the read model database, from 0, as in the status.</param>
/// <param name="Projection">The name of the projection.</param>
/// <param name="Version">The version of its read model; null for the live one.</param>
/// <param name="Verb"><c>pause</c>, <c>resume</c> or <c>retry</c>.</param>
/// <param name="PersistenceId">The persistence id whose dead letters are retried; null for all. Only for <c>retry</c>.</param>
internal sealed record PageCommand(int? ReadModel, string? Projection, string? Version, string? Verb, string? PersistenceId)
{
    public override string ToString() =>
        $"{Verb} {Version ?? Projection}{(Verb == "retry" ? $", {(PersistenceId is null ? "all dead letters" : $"dead letters of '{PersistenceId}'")}" : "")}";
}

/// <summary>The commands. They exist only if <see cref="ThrottledPageOptions.AllowCommands"/> is true. Each needs an antiforgery token.</summary>
internal static class CommandEndpoints
{
    private const long MostBytes = 16 * 1024;

    // If a process runs the projection, a command normally takes a few seconds at most.
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(10);

    internal static void Map(RouteGroupBuilder group, ReadModels readModels, ILogger log, TimeProvider time)
    {
        group.MapGet("/commands", (HttpContext context, IAntiforgery antiforgery) =>
        {
            // The service sets the header itself, and logs a warning if it is there.
            context.Response.Headers.CacheControl = default;
            var tokens = antiforgery.GetAndStoreTokens(context);
            return TypedResults.Json(new { header = tokens.HeaderName, token = tokens.RequestToken }, PageJson.Options);
        });
        group.MapPost("/commands", async (HttpContext context, IAntiforgery antiforgery) =>
        {
            if (!await antiforgery.IsRequestValidAsync(context).ConfigureAwait(false))
                return ReadModelCall.Refusal(StatusCodes.Status400BadRequest, "The command has no valid antiforgery token. Reload the page.");
            if (await ReadAsync(context).ConfigureAwait(false) is not { ReadModel: { } readModel, Projection.Length: > 0 } command)
                return ReadModelCall.Refusal(
                    StatusCodes.Status400BadRequest, "The command is not valid JSON with 'readModel', 'projection' and 'verb'. Reload the page.");
            if (command.Verb is not ("pause" or "resume" or "retry"))
                return ReadModelCall.Refusal(StatusCodes.Status400BadRequest, $"'verb' is \"{command.Verb}\"; it must be pause, resume or retry.");
            if (command is { Verb: not "retry", PersistenceId: { } id })
                return ReadModelCall.Refusal(
                    StatusCodes.Status400BadRequest, $"'persistenceId' is \"{id}\", but {command.Verb} is for the whole projection. Leave it out, or set 'verb' to retry.");
            var origin = OriginOf(context);
            var status = StatusCodes.Status500InternalServerError;
            try
            {
                var answer = await ReadModelCall.RunAsync(readModels, readModel, control => RunAsync(control, command, time), origin).ConfigureAwait(false);
                status = (answer as IStatusCodeHttpResult)?.StatusCode ?? StatusCodes.Status200OK;
                return answer;
            }
            finally
            {
                log.Commanded(command, origin.User, context.Connection.RemoteIpAddress, status);
            }
        });
    }

    private static CommandOrigin OriginOf(HttpContext context) =>
        new(context.User.Identity?.Name is { } name && !string.IsNullOrWhiteSpace(name) ? name : "an unknown user", context.Connection.RemoteIpAddress?.ToString());

    private static async Task<PageCommand?> ReadAsync(HttpContext context)
    {
        if (!context.Request.HasJsonContentType() || context.Request.ContentLength is null or > MostBytes)
            return null;
        try
        {
            return await context.Request.ReadFromJsonAsync<PageCommand>(PageJson.Options, context.RequestAborted).ConfigureAwait(false);
        }
        catch (JsonException)
        {
            return null;
        }
    }

    // Who gave a command may leave: the command runs on, and is logged.
    private static async Task<IResult> RunAsync(ProjectionControl control, PageCommand command, TimeProvider time)
    {
        using var limit = new CancellationTokenSource(Longest, time);
        try
        {
            return TypedResults.Text(await DoAsync(control, command, limit.Token).ConfigureAwait(false));
        }
        catch (StoredCommandException error)
        {
            return TypedResults.Text(error.Message, statusCode: StatusCodes.Status202Accepted);
        }
        catch (OperationCanceledException)
        {
            return ReadModelCall.Refusal(
                StatusCodes.Status503ServiceUnavailable, "The read model database has not answered in time. Check whether the command had an effect, and give it again.");
        }
    }

    private static async Task<string> DoAsync(ProjectionControl control, PageCommand command, CancellationToken cancellation)
    {
        var (name, version) = (command.Projection!, command.Version);
        switch (command.Verb)
        {
            case "pause":
                return await control.PauseAsync(name, version, cancellationToken: cancellation).ConfigureAwait(false);
            case "resume":
                return await control.ResumeAsync(name, version, cancellation).ConfigureAwait(false);
            default:
                return command.PersistenceId is { } id
                    ? await control.RetryAsync(name, id, version: version, cancellationToken: cancellation).ConfigureAwait(false)
                    : FormattableString.Invariant($"Persistence ids whose dead letters were tried again: {await control.RetryAllAsync(name, version, cancellation).ConfigureAwait(false)}.");
        }
    }
}
