using System.Data.Common;
using Throttled.Projections.Store;

namespace Throttled.Projections;

/// <summary>A read model that is being made, cleared, swapped or dropped, in an open transaction.</summary>
public sealed class ReadModelScope
{
    private readonly bool _isUnlimited;

    internal ReadModelScope(string target, TargetRole role, DbTransaction transaction, bool isUnlimited = false)
    {
        Target = target;
        IsLive = role == TargetRole.Live;
        Transaction = transaction;
        _isUnlimited = isUnlimited;
    }

    /// <summary>
    /// The read model: the projection's name, or the name that a rebuild was given. Whoever may insert a command can choose that name:
    /// <see cref="ReadModel.Quote"/> it wherever it is a part of SQL.
    /// </summary>
    public string Target { get; }

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
