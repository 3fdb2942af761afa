using Throttled.Projections.Databases;

namespace Throttled.Projections.Tables;

internal static class ProcessTable
{
    private const string Process = Schema.Process;

    internal static async Task<IReadOnlyList<string>> ReadAsync(DatabaseTransaction transaction, string name)
    {
        var members = await transaction.ReadAsync(
            $"SELECT process FROM {Process} WHERE projection = @projection AND {transaction.Dialect.Holds("lease_until")}",
            row => row.GetString(0), ("projection", name)).ConfigureAwait(false);
        // Sorted here, because the database would sort by its collation.
        members.Sort(StringComparer.Ordinal);
        return members;
    }

    /// <summary>Also deletes processes that expired an hour ago or more: each start of a process uses a new name.</summary>
    internal static async Task RenewAsync(DatabaseTransaction transaction, string name, string process, TimeSpan lease)
    {
        await transaction.ExecuteAsync(
            $"DELETE FROM {Process} WHERE projection = @projection AND lease_until < {transaction.Dialect.Later("-3600")}", ("projection", name))
            .ConfigureAwait(false);
        await transaction.ExecuteAsync(
            $"""
            UPDATE {Process} SET lease_until = {transaction.Dialect.Later("@lease")} WHERE projection = @projection AND process = @process;
            INSERT INTO {Process} (projection, process, lease_until) SELECT @projection, @process, {transaction.Dialect.Later("@lease")}
            {transaction.Dialect.IfAbsent(Process, "projection = @projection AND process = @process", "projection, process")}
            """,
            ("projection", name), ("process", process), ("lease", lease.TotalSeconds)).ConfigureAwait(false);
    }

    internal static Task LeaveAsync(DatabaseTransaction transaction, string name, string process) =>
        transaction.ExecuteAsync(
            $"DELETE FROM {Process} WHERE projection = @projection AND process = @process", ("projection", name), ("process", process));
}
