using Throttled.Projections;

/// <summary>
/// Sends a mail for each order. A mail cannot be in the transaction that stores the offset, so an event comes again after a crash. The mail server drops
/// a mail whose key it has, so each mail is sent once, also after a reset.
/// </summary>
internal sealed class Mails(ShopDatabase database) : AtLeastOnceHandler
{
    public override Task HandleAsync(ProjectionEvent @event, string version, CancellationToken cancellationToken) => @event.Payload is Placed placed
        ? database.SendAsync($"{@event.IdempotencyKey}", $"{placed.Customer} ordered {placed.Count} {placed.Product}")
        : Task.CompletedTask;
}
