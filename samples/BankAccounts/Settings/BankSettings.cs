namespace BankAccounts.Settings;

/// <summary>Where the journal and the read model are.</summary>
internal sealed record BankSettings
{
    /// <summary><c>sqlite</c> or <c>postgres</c>.</summary>
    public required string Database { get; init; }

    /// <summary>The read model's connection string; null for the sample's own file, or for the environment variable.</summary>
    public string? Connection { get; init; }

    /// <summary>The journal's connection string; null for the sample's own file, or on PostgreSQL for that of the read model.</summary>
    public string? Journal { get; init; }

    /// <summary>The name of the projection and of the first version of its read model.</summary>
    public string Name { get; init; } = "accounts";
}
