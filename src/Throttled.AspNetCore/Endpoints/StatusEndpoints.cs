using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Throttled.AspNetCore.Looks;

namespace Throttled.AspNetCore.Endpoints;

/// <summary>The figures, once (<c>status</c>) or each second (<c>live</c>), and the dead letters of a version of a projection.</summary>
internal static class StatusEndpoints
{
    private const int MostDeadLetters = 50;

    internal static void Map(RouteGroupBuilder group, SharedLook<string> look, ReadModels readModels, CancellationToken stopping)
    {
        // Without the return type, the compiler would choose the overload for a RequestDelegate, which ignores the result.
        group.MapGet("/status", async Task<IResult> (HttpContext context) =>
            TypedResults.Text(await look.CurrentAsync().WaitAsync(context.RequestAborted).ConfigureAwait(false), "application/json"));
        group.MapGet("/live", (HttpContext context) =>
        {
            // Without this header, nginx buffers the response.
            context.Response.Headers["X-Accel-Buffering"] = "no";
            return TypedResults.ServerSentEvents(ItemsAsync(look, stopping, context.RequestAborted));
        });
        group.MapGet("/dead-letters", (HttpContext context, int readModel, string projection, string? version) =>
            ReadModelCall.RunAsync(readModels, readModel, async control => TypedResults.Json(
                (await control.DeadLettersAsync(projection, version: version, limit: MostDeadLetters, cancellationToken: context.RequestAborted).ConfigureAwait(false))
                .Select(DeadLetterLook.Of), PageJson.Options)));
    }

    // The stream of an open page ends when the application stops. Otherwise it would delay the stop.
    private static async IAsyncEnumerable<SseItem<string>> ItemsAsync(
        SharedLook<string> look, CancellationToken stopping, [EnumeratorCancellation] CancellationToken aborted)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stopping, aborted);
        var looks = look.FollowAsync(ended.Token).GetAsyncEnumerator(ended.Token);
        await using var _ = looks.ConfigureAwait(false);
        while (await NextAsync(looks).ConfigureAwait(false))
            yield return new(looks.Current);
    }

    private static async Task<bool> NextAsync(IAsyncEnumerator<string> looks)
    {
        try
        {
            return await looks.MoveNextAsync().ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }
}

/// <summary>A dead letter without its payload, which may be confidential.</summary>
internal sealed record DeadLetterLook(string PersistenceId, long SequenceNumber, long Ordering, int Attempts, string? Error, DateTimeOffset DeadLetteredAt)
{
    private const int MostOfError = 1_000;

    internal static DeadLetterLook Of(DeadLetter letter) => new(
        letter.Event.PersistenceId, letter.Event.SequenceNumber, letter.Event.Ordering, letter.Attempts,
        letter.Error is { Length: > MostOfError } error ? $"{error[..MostOfError]}…" : letter.Error, letter.DeadLetteredAt);
}
