namespace Akka.Persistence.Query.Throttled.Writing;

/// <summary>What <see cref="ShardGates"/> has done.</summary>
internal sealed record GateKeeper
{
    /// <summary>Starts the write journal of a shard; once for each, before anything is forwarded to it.</summary>
    internal required Action<int> Open { get; init; }

    /// <summary>Passes a message on to the write journal of a shard.</summary>
    internal required Action<int, Letter> Forward { get; init; }

    /// <summary>Answers a message that it has failed.</summary>
    internal required Action<Letter, Exception> Refuse { get; init; }

    /// <summary>Looks whether a shard's database is that shard's; what it finds is told to <see cref="ShardGates.Looked"/>.</summary>
    internal required Action<int> Look { get; init; }
}
