namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>Converts items of the engine to elements of a stream. Called on the stream's thread; may run a user's code.</summary>
internal interface IItemDecoder<in T, TOut>
    where TOut : class
{
    /// <summary>The decoder for one run of a query. A decoder without state returns itself.</summary>
    IItemDecoder<T, TOut> OfOneStream() => this;

    /// <returns>The first element; null if there is none. <paramref name="rest"/> has the others; null for none.</returns>
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
