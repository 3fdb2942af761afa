using System.Data.Common;

namespace Throttled.Projections;

/// <summary>A read model that is being made, cleared or dropped, in an open transaction.</summary>
public sealed class ReadModelScope
{
    internal ReadModelScope(string target, DbTransaction transaction)
    {
        Target = target;
        Transaction = transaction;
    }

    /// <summary>The read model: the projection's name, or the name that a rebuild was given.</summary>
    public string Target { get; }

    /// <summary>The open transaction. It is committed when the handler has returned; the handler neither commits nor rolls it back.</summary>
    public DbTransaction Transaction { get; }

    /// <summary>The transaction's connection, open.</summary>
    public DbConnection Connection => Transaction.Connection!;
}
