using System.Globalization;
using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Throttled.AspNetCore.Status;

namespace Throttled.AspNetCore.Endpoints;

/// <summary>The figures, once (<c>status</c>) or each second (<c>live</c>), and the dead letters of a version of a projection.</summary>
internal static class StatusEndpoints
{
    private const int MostDeadLetters = 50;

    internal static void Map(RouteGroupBuilder group, SharedSnapshot<string> snapshot, ReadModels readModels, CancellationToken stopping)
    {
        // Without the return type, the compiler would choose the overload for a RequestDelegate, which ignores the result.
        group.MapGet("/status", async Task<IResult> (HttpContext context) =>
            TypedResults.Text(await snapshot.CurrentAsync().WaitAsync(context.RequestAborted).ConfigureAwait(false), "application/json"));
        group.MapGet("/live", (HttpContext context) =>
        {
            // Without this header, nginx buffers the response.
            context.Response.Headers["X-Accel-Buffering"] = "no";
            return TypedResults.ServerSentEvents(ItemsAsync(snapshot, stopping, context.RequestAborted));
        });
        // ASP.NET Core would refuse a missing parameter, or one of the wrong type, with an empty response.
        group.MapGet("/dead-letters", async Task<IResult> (HttpContext context, string? readModel, string? projection, string? version) =>
        {
            if (!int.TryParse(readModel, NumberStyles.None, CultureInfo.InvariantCulture, out var number))
                return ReadModelCall.Refusal(
                    StatusCodes.Status400BadRequest, $"'readModel' is \"{readModel}\"; it must be the number of a read model database, from 0, in the order of the status.");
            if (projection is not { Length: > 0 })
                return ReadModelCall.Refusal(StatusCodes.Status400BadRequest, "'projection' is missing; it must be the name of a projection, as in the status.");
            return await ReadModelCall.RunAsync(readModels, number, async control => TypedResults.Json(
                (await control.DeadLettersAsync(projection, version: version, limit: MostDeadLetters, cancellationToken: context.RequestAborted).ConfigureAwait(false))
                .Select(DeadLetterSummary.Of), PageJson.Options)).ConfigureAwait(false);
        });
    }

    // The stream of an open page ends when the application stops. Otherwise it would delay the stop.
    private static async IAsyncEnumerable<SseItem<string>> ItemsAsync(
        SharedSnapshot<string> snapshot, CancellationToken stopping, [EnumeratorCancellation] CancellationToken aborted)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stopping, aborted);
        var snapshots = snapshot.FollowAsync(ended.Token).GetAsyncEnumerator(ended.Token);
        await using var _ = snapshots.ConfigureAwait(false);
        while (await NextAsync(snapshots).ConfigureAwait(false))
            yield return new(snapshots.Current);
    }

    private static async Task<bool> NextAsync(IAsyncEnumerator<string> snapshots)
    {
        try
        {
            return await snapshots.MoveNextAsync().ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }
}

/// <summary>A dead letter without its payload, which may be confidential.</summary>
internal sealed record DeadLetterSummary(string PersistenceId, long SequenceNumber, long Ordering, int Attempts, string? Error, DateTimeOffset DeadLetteredAt)
{
    private const int MostOfError = 1_000;

    internal static DeadLetterSummary Of(DeadLetter letter) => new(
        letter.Event.PersistenceId, letter.Event.SequenceNumber, letter.Event.Ordering, letter.Attempts,
        letter.Error is { Length: > MostOfError } error ? $"{error[..MostOfError]}…" : letter.Error, letter.DeadLetteredAt);
}
