using System.Net.Http.Json;
using Throttled.Projections;

/// <summary>Asks an HTTP API to send a receipt for each deposit. The API drops a request whose key it knows.</summary>
sealed class Receipts(HttpClient api) : AtLeastOnceHandler
{
    public override async Task HandleAsync(ProjectionEvent @event, string version, CancellationToken cancellationToken)
    {
        // Deposits from before the first start of this projection get no receipt, and a reset sends none again.
        if (@event.IsReplay || @event.Payload is not Deposited deposited)
            return;
        using var request = new HttpRequestMessage(HttpMethod.Post, "receipts");
        request.Headers.Add("Idempotency-Key", @event.IdempotencyKey.ToString());
        request.Content = JsonContent.Create(new { Account = @event.PersistenceId, deposited.Cents });
        using var response = await api.SendAsync(request, cancellationToken);
        response.EnsureSuccessStatusCode();
    }
}
