namespace Akka.Persistence.Query.Throttled.Writing;

/// <summary>What becomes of a message to a sharded write journal.</summary>
internal abstract record WriteRoute
{
    private WriteRoute()
    {
    }

    /// <summary>It is a shard's.</summary>
    internal sealed record To(int Shard) : WriteRoute;

    /// <summary>Nothing is to be written, and nothing of its actor is on its way: it is answered where it is.</summary>
    internal sealed record Back : WriteRoute
    {
        internal static Back Instance { get; } = new();
    }

    /// <summary>No shard could do what it says.</summary>
    internal sealed record Refused(Exception Cause) : WriteRoute;

    /// <summary>It is no message to a journal.</summary>
    internal sealed record None : WriteRoute
    {
        internal static None Instance { get; } = new();
    }
}
