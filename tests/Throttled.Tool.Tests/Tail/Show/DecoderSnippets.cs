using System.IO.Compression;

namespace Throttled.Tool.Tests.Tail;

/// <summary>The decoder of docs/operating/tool.md. The tests give this assembly to the tool, as a user does.</summary>
public static class ShopEvents
{
    public static string? Decode(byte[] payload, string manifest, int? serializerId)
    {
        if (!manifest.EndsWith("+gzip", StringComparison.Ordinal))
            return null;
        using var json = new StreamReader(new GZipStream(new MemoryStream(payload), CompressionMode.Decompress));
        return json.ReadToEnd();
    }
}
