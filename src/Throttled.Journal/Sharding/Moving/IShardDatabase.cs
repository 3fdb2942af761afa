namespace Throttled.Journal.Sharding.Moving;

/// <summary>A database that has a shard of a journal, or is to have one.</summary>
internal interface IShardDatabase : IAsyncDisposable
{
    /// <summary>What it is called in messages; without its password.</summary>
    string Name { get; }

    /// <summary>The database, its schema and journal table: the same for the same, however it was named. Nothing is locked or made for it.</summary>
    Task<string> IdentityAsync(CancellationToken cancellation);

    /// <summary>Looks at what it has at one moment.</summary>
    Task<IShardSnapshot> SnapshotAsync(CancellationToken cancellation);

    /// <summary>Begins the one transaction that makes it a shard.</summary>
    Task<IShardTarget> BeginAsync(CancellationToken cancellation);
}
