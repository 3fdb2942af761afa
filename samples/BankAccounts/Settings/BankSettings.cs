namespace BankAccounts.Settings;

/// <summary>Where the journal and the read model are.</summary>
internal sealed record BankSettings
{
    /// <summary>sqlite or postgres.</summary>
    public required string Database { get; init; }

    /// <summary>The read model's connection string; null for the sample's own file, or for what the environment says.</summary>
    public string? Connection { get; init; }

    /// <summary>The journal's connection string; null for the sample's own file, or on PostgreSQL for that of the read model.</summary>
    public string? Journal { get; init; }

    /// <summary>The projection, and its first version.</summary>
    public string Name { get; init; } = "accounts";
}
