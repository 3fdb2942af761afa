using System.Data.Common;

namespace Throttled.Journal.Relational;

/// <summary>One open connection, used by one call at a time.</summary>
internal interface IAdoSession
{
    /// <summary>The session on the server, with its start time; null if it is unknown.</summary>
    string? Backend { get; }

    /// <summary>The run of the server, from its start to its end; null if it is unknown.</summary>
    string? Server { get; }

    bool IsBroken { get; }

    /// <summary>Runs a statement and passes on its rows, one by one.</summary>
    /// <param name="text">The statement.</param>
    /// <param name="take">Receives a row. If it returns false, the statement is cancelled on the server.</param>
    /// <param name="cancellation">Cancels the statement.</param>
    /// <param name="parameters">The values of the parameters, in this order.</param>
    Task ReadAsync(string text, Func<DbDataReader, bool> take, CancellationToken cancellation, params DbParameter[] parameters);
}

/// <summary>Statements that return one row.</summary>
internal static class AdoSessionRows
{
    /// <summary>Runs a statement that returns at most one row. To stop at this row would cost a connection or a round trip.</summary>
    /// <returns>The type's default if there is no row.</returns>
    internal static async Task<T?> RowAsync<T>(this IAdoSession session, string text, Func<DbDataReader, T> read, CancellationToken cancellation, params DbParameter[] parameters)
    {
        T? found = default;
        await session.ReadAsync(text, Take, cancellation, parameters).ConfigureAwait(false);
        return found;

        bool Take(DbDataReader row)
        {
            found = read(row);
            return true;
        }
    }

    /// <summary>Runs a statement that returns at most one row with one column.</summary>
    /// <returns>The value; null if there is no row or the value is NULL.</returns>
    internal static Task<object?> ScalarAsync(this IAdoSession session, string text, CancellationToken cancellation, params DbParameter[] parameters) =>
        session.RowAsync(text, row => row.IsDBNull(0) ? null : row.GetValue(0), cancellation, parameters);
}
