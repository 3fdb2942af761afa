using System.Data.Common;
using Throttled.Projections.Databases;

namespace Throttled.Projections;

/// <summary>
/// What a projection does with events; derive from <see cref="BatchHandler"/> or <see cref="AtLeastOnceHandler"/>. One instance serves all
/// lanes, at once.
/// </summary>
public abstract class ProjectionHandler
{
    private protected ProjectionHandler()
    {
    }

    /// <summary>
    /// Brings a read model to its state before the first event: makes its tables where they are not there, and empties them where they are.
    /// Called when a version is new, and when it is reset to the start. Does nothing by default.
    /// </summary>
    /// <param name="scope">Which read model, whether it is the live one, and the transaction in which its offsets are set to the start.</param>
    /// <param name="cancellationToken">Cancelled when the projection stops.</param>
    public virtual Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// A rebuilt read model takes the place of the one that was live: turns readers to it, for example by a view or by renaming. Does nothing by
    /// default.
    /// </summary>
    /// <param name="from">The version that was live.</param>
    /// <param name="to">The version that is live from now on, and the transaction in which it becomes so.</param>
    /// <param name="cancellationToken">Cancelled when the projection stops.</param>
    public virtual Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Removes a read model that is not live: a retired one, or a rebuild that was given up. Does nothing by default.</summary>
    /// <param name="scope">Which read model, and the transaction in which its offsets are removed.</param>
    /// <param name="cancellationToken">Cancelled when the projection stops.</param>
    public virtual Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) => Task.CompletedTask;
}

/// <summary>A read model that is being made, cleared, swapped or dropped, in an open transaction.</summary>
public sealed class ReadModelScope
{
    private readonly bool _isUnlimited;

    internal ReadModelScope(string version, VersionRole role, DbTransaction transaction, bool isUnlimited = false)
    {
        Version = version;
        IsLive = role == VersionRole.Live;
        Transaction = transaction;
        _isUnlimited = isUnlimited;
    }

    /// <summary>
    /// The read model: the projection's name, or the name that a rebuild was given. Whoever may insert a command can choose that name:
    /// <see cref="ReadModelDatabase.Quote"/> it wherever it is a part of SQL.
    /// </summary>
    public string Version { get; }

    /// <summary>Whether it is the one that is read, or is about to be: true in <see cref="ProjectionHandler.SwapAsync"/>, false for a rebuild and in <see cref="ProjectionHandler.DropAsync"/>.</summary>
    public bool IsLive { get; }

    /// <summary>The open transaction. It is committed when the handler has returned; the handler neither commits nor rolls it back.</summary>
    public DbTransaction Transaction { get; }

    /// <summary>The transaction's connection, open.</summary>
    public DbConnection Connection => Transaction.Connection!;

    /// <summary>
    /// Runs a statement in the transaction, without a time limit: emptying a large read model takes as long as it takes. A statement that the handler runs by
    /// <see cref="Connection"/> has the driver's limit, unless it sets another.
    /// </summary>
    /// <inheritdoc cref="ProjectionBatch.ExecuteAsync"/>
    public Task<int> ExecuteAsync(string sql, CancellationToken cancellationToken, params (string Name, object? Value)[] parameters) =>
        SqlStatement.ExecuteAsync(Transaction, sql, _isUnlimited, cancellationToken, parameters);
}
