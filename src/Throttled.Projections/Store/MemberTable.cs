namespace Throttled.Projections.Store;

/// <summary>The processes that share a projection.</summary>
internal static class MemberTable
{
    private const string Member = StoreTables.Member;

    /// <summary>Those that are alive, in ordinal order.</summary>
    internal static async Task<IReadOnlyList<string>> ReadAsync(StoreTransaction transaction, string name, CancellationToken cancellation)
    {
        var members = await transaction.ReadAsync(
            $"SELECT member FROM {Member} WHERE name = @name AND {transaction.Spelling.Holds("until")}",
            row => row.GetString(0), cancellation, ("name", name)).ConfigureAwait(false);
        // The database's order is that of its collation.
        members.Sort(StringComparer.Ordinal);
        return members;
    }

    /// <summary>Tells that a process is alive, and forgets those that have not been for an hour: a process that starts has a name of its own.</summary>
    internal static async Task RenewAsync(
        StoreTransaction transaction, string name, string member, TimeSpan lease, CancellationToken cancellation)
    {
        await transaction.ExecuteAsync(
            $"DELETE FROM {Member} WHERE name = @name AND until < {transaction.Spelling.Later("-3600")}", cancellation, ("name", name))
            .ConfigureAwait(false);
        await transaction.ExecuteAsync(
            $"""
            INSERT INTO {Member} (name, member, until) VALUES (@name, @member, {transaction.Spelling.Later("@lease")})
            ON CONFLICT (name, member) DO UPDATE SET until = excluded.until
            """,
            cancellation, ("name", name), ("member", member), ("lease", lease.TotalSeconds)).ConfigureAwait(false);
    }

    internal static Task LeaveAsync(StoreTransaction transaction, string name, string member, CancellationToken cancellation) =>
        transaction.ExecuteAsync(
            $"DELETE FROM {Member} WHERE name = @name AND member = @member", cancellation, ("name", name), ("member", member));
}
