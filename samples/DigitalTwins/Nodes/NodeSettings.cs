using System.Text.Json;

namespace DigitalTwins.Nodes;

/// <summary>What a node is told, as one line of its standard input. They have passwords, which a command line would show to other users.</summary>
internal sealed record NodeSettings
{
    public required string Name { get; init; }

    /// <summary>Its port for other nodes.</summary>
    public required int Port { get; init; }

    /// <summary>The port of the node that it joins.</summary>
    public required int SeedPort { get; init; }

    /// <summary>Connection strings of the journal, in the order of the shards.</summary>
    public required string[] Journals { get; init; }

    /// <summary>Connection string of the read model.</summary>
    public required string ReadModel { get; init; }

    /// <summary>Transactions at once that append to each database.</summary>
    public required int Writers { get; init; }

    /// <summary>Events that one transaction may append.</summary>
    public required int Batch { get; init; }

    internal string Write() => JsonSerializer.Serialize(this);

    /// <exception cref="JsonException">The line is not written by <see cref="Write"/>.</exception>
    internal static NodeSettings? Read(string line) => JsonSerializer.Deserialize<NodeSettings>(line);
}
