using System.Globalization;
using Npgsql;

namespace Throttled.Benchmarks.Tags;

/// <summary>The work of a server so far.</summary>
/// <param name="Rows">Rows that it read from tables, in scans and through indexes.</param>
/// <param name="Entries">Entries that it read from indexes, also if it did not need their rows.</param>
/// <param name="Transactions">Committed transactions; a single statement is one.</param>
/// <param name="Cpu">Seconds of processor time of all its processes.</param>
internal sealed record Load(double Rows, double Entries, double Transactions, double Cpu)
{
    public static Load operator -(Load left, Load right) =>
        new(left.Rows - right.Rows, left.Entries - right.Entries, left.Transactions - right.Transactions, left.Cpu - right.Cpu);
}

/// <summary>Reads the load of a PostgreSQL server on this machine.</summary>
internal sealed class ServerLoad : IAsyncDisposable
{
    // The unit of the times in /proc: USER_HZ, https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    private const double TicksPerSecond = 100;

    private readonly NpgsqlDataSource _source;
    private readonly NpgsqlConnection _open;
    private readonly int _postmaster;

    private ServerLoad(NpgsqlDataSource source, NpgsqlConnection open, int postmaster) => (_source, _open, _postmaster) = (source, open, postmaster);

    internal static async Task<ServerLoad> OpenAsync(string connection)
    {
        var source = NpgsqlDataSource.Create(connection);
        var open = await source.OpenConnectionAsync();
        var child = await ScalarAsync<int>(open, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'");
        return new(source, open, (int)Stat(child)[ParentField]);
    }

    internal async Task<Load> ReadAsync()
    {
        await using var command = new NpgsqlCommand(
            "SELECT (SELECT coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0) FROM pg_stat_user_tables)::float8, "
            + "(SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes)::float8, xact_commit::float8 "
            + "FROM pg_stat_database WHERE datname = current_database()",
            _open);
        await using var row = await command.ExecuteReaderAsync();
        await row.ReadAsync();
        return new(row.GetDouble(0), row.GetDouble(1), row.GetDouble(2), Cpu());
    }

    /// <summary>Ends all other sessions, because a session may report its work only at its end.</summary>
    internal Task SettleAsync() => EndOthersAsync(_open);

    /// <summary>Ends all other sessions. The pools of Akka.Persistence.Sql keep theirs for minutes.</summary>
    internal static async Task EndOthersAsync(NpgsqlConnection open)
    {
        while (await ScalarAsync<long>(
            open, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()") > 0)
        {
            NpgsqlConnection.ClearAllPools();
            await Task.Delay(50);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _open.DisposeAsync();
        await _source.DisposeAsync();
    }

    private static async Task<T> ScalarAsync<T>(NpgsqlConnection open, string sql)
    {
        await using var command = new NpgsqlCommand(sql, open);
        return (T)(await command.ExecuteScalarAsync())!;
    }

    // The fields after the program's name, which may contain any character.
    private const int ParentField = 1;
    private const int UserField = 11;
    private const int ChildrensField = 13;

    private static long[] Stat(int process)
    {
        var text = File.ReadAllText($"/proc/{process}/stat");
        return [.. text[(text.LastIndexOf(')') + 2)..].Split(' ').Select(
            field => long.TryParse(field, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number) ? number : 0)];
    }

    // The time of the postmaster, of its children that have ended, and of its running children.
    private double Cpu()
    {
        var own = Stat(_postmaster);
        var ticks = Both(own, UserField) + Both(own, ChildrensField);
        foreach (var folder in Directory.EnumerateDirectories("/proc"))
        {
            if (!int.TryParse(Path.GetFileName(folder), out var process))
                continue;
            try
            {
                var stat = Stat(process);
                ticks += stat[ParentField] == _postmaster ? Both(stat, UserField) : 0;
            }
            catch (IOException)
            {
                // The process has ended meanwhile.
            }
        }
        return ticks / TicksPerSecond;
    }

    private static long Both(long[] stat, int field) => stat[field] + stat[field + 1];
}
