namespace Throttled.Journal.Permits;

/// <summary>
/// Hands out the permits of one journal: <see cref="LocalPermits"/>, or an actor that owns the ledger. Called on the
/// journal's loop; a grant comes back on the loop too, at once or later, as <see cref="StatementSlot.Granted"/>.
/// </summary>
internal interface IPermitSource : IDisposable
{
    /// <summary>Enqueues a slot.</summary>
    void Request(StatementSlot slot);

    /// <summary>Gives the permit back, or leaves the queue. Harmless when done twice.</summary>
    void Return(StatementSlot slot);

    /// <summary>Changes how many permits there are, because the database turned out to take fewer, or more again.</summary>
    void SetLimit(int limit);
}
