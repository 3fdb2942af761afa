using BankAccounts.Domain;
using Throttled.Projections;

namespace BankAccounts.Handlers;

/// <summary>Simulates a defect of a handler: it fails on some credits until it is corrected.</summary>
internal sealed class PoisonCheck(bool isMended)
{
    /// <exception cref="InvalidOperationException">The handler fails on the event.</exception>
    internal void Pass(ProjectionEvent each)
    {
        if (!isMended && each.Payload is AccountCredited { IsPoison: true })
            throw new InvalidOperationException("The handler cannot take this credit yet. Run it with --mended.");
    }
}
