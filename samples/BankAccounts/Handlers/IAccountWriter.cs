using Throttled.Projections;

namespace BankAccounts.Handlers;

/// <summary>Writes what a batch does to accounts.</summary>
internal interface IAccountWriter
{
    Task WriteAsync(ProjectionBatch batch, CancellationToken cancellation);
}
