using System.Text;

namespace CrushTest.Databases;

/// <summary>What stands in the events of a journal.</summary>
internal sealed record CrushPayload
{
    private const int NewtonsoftJson = 1;

    /// <summary>Small, as most are.</summary>
    internal static CrushPayload Deposit { get; } = new()
    {
        Suffix = "",
        SerializerId = NewtonsoftJson,
        Manifest = "Bank.Deposited, Bank",
        Bytes = static number => Encoding.UTF8.GetBytes($$$"""{"$id":"1","amount":{"$":"I{{{number % 100_000:D5}}}"}}"""),
    };

    /// <summary>By which its journal's name differs from those of others.</summary>
    internal required string Suffix { get; init; }

    internal required int SerializerId { get; init; }

    internal required string Manifest { get; init; }

    /// <summary>The payload of a sequence number.</summary>
    internal required Func<int, byte[]> Bytes { get; init; }
}
