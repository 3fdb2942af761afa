using System.Data.Common;
using System.Diagnostics;

namespace Throttled.Benchmarks.Accounts;

/// <summary>
/// How long a commit of one row takes by the bare driver. The first row of the table is little else, so that all ratios to it ride on the disk.
/// </summary>
internal static class CommitTime
{
    private const int Commits = 200;

    // The first ones make the log's file longer, which the disk takes longer for; SQLite begins at its head again after 1,000 pages:
    // https://www.sqlite.org/wal.html#ckpt
    private const int Before = 1_000;

    private const string Table = "bank_commits";

    /// <returns>Milliseconds of each.</returns>
    internal static async Task<double[]> MeasureAsync(DbDataSource source, CancellationToken cancellation)
    {
        await using var open = await source.OpenConnectionAsync(cancellation);
        await RunAsync(open, $"CREATE TABLE IF NOT EXISTS {Table} (number integer)", cancellation);
        for (var i = 0; i < Before; i++)
            await CommitAsync(open, cancellation);
        var times = new double[Commits];
        for (var i = 0; i < Commits; i++)
            times[i] = await CommitAsync(open, cancellation);
        await RunAsync(open, $"DROP TABLE {Table}", cancellation);
        return times;
    }

    private static async Task<double> CommitAsync(DbConnection open, CancellationToken cancellation)
    {
        var start = Stopwatch.GetTimestamp();
        await RunAsync(open, $"INSERT INTO {Table} VALUES (1)", cancellation);
        return Stopwatch.GetElapsedTime(start).TotalMilliseconds;
    }

    private static async Task RunAsync(DbConnection open, string text, CancellationToken cancellation)
    {
        await using var command = open.CreateCommand();
        command.CommandText = text;
        await command.ExecuteNonQueryAsync(cancellation);
    }
}
