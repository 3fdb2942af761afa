using BankAccounts.Domain;
using Throttled.Projections;

namespace BankAccounts.Handlers;

/// <summary>The mistake that a handler may have: some credits it cannot take, until it is mended.</summary>
/// <param name="isMended">Whether it is.</param>
internal sealed class PoisonCheck(bool isMended)
{
    /// <exception cref="InvalidOperationException">The handler cannot take the event.</exception>
    internal void Pass(ProjectionEvent each)
    {
        if (!isMended && each.Payload is AccountCredited { IsPoison: true })
            throw new InvalidOperationException("The handler cannot take this credit yet. Run it with --mended.");
    }
}
