namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>Delivers persistence ids as they are.</summary>
internal sealed class IdDecoder : IItemDecoder<string, string>
{
    public string Decode(string item, out Queue<string>? rest)
    {
        rest = null;
        return item;
    }
}
