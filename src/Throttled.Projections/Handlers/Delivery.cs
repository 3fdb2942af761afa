namespace Throttled.Projections.Handlers;

/// <summary>Delivers one event outside any transaction.</summary>
internal delegate Task Deliver(ProjectionEvent delivered, CancellationToken cancellation);

/// <summary>How an at-least-once handler gets its events. The lane delivers them before it opens the transaction that stores the offset.</summary>
internal interface IDelivery
{
    /// <summary>In the transaction there is nothing left to do, and no event is known to be unhandled.</summary>
    static Task<IReadOnlyList<ProjectionEvent>> Nothing { get; } = Task.FromResult<IReadOnlyList<ProjectionEvent>>([]);

    bool RunsInRebuild { get; }

    /// <summary>Prepares the delivery of some events.</summary>
    Task<Deliver> BeginAsync(IReadOnlyList<ProjectionEvent> events, string version, CancellationToken cancellation);
}

internal static class RebuildRule
{
    internal static string Refusal(string name) =>
        $"The handler of '{name}' has effects outside the read model, and a rebuild would repeat all of them. To repeat them, reset the live read model. "
        + $"If each version has effects of its own, such as an index with its name, let '{nameof(AtLeastOnceHandler.RunsInRebuild)}' of the handler return true.";
}
