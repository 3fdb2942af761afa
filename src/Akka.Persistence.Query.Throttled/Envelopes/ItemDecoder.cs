namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>Makes what a query delivers of what the engine read. Called on the stream's thread; may run a user's code.</summary>
internal interface IItemDecoder<in T, TOut>
    where TOut : class
{
    /// <summary>The decoder of one run of a query; the same for all where it remembers nothing of what it made.</summary>
    IItemDecoder<T, TOut> OfOneStream() => this;

    /// <param name="item">What was read.</param>
    /// <param name="rest">What comes behind the first; null for nothing.</param>
    /// <returns>What comes first; null where the item brings nothing.</returns>
    TOut? Decode(T item, out Queue<TOut>? rest);
}

/// <summary>Delivers persistence ids as they are.</summary>
internal sealed class IdDecoder : IItemDecoder<string, string>
{
    public string Decode(string item, out Queue<string>? rest)
    {
        rest = null;
        return item;
    }
}
