using System.Data.Common;
using System.Diagnostics;

namespace Throttled.Benchmarks.Accounts;

/// <summary>
/// The time of a commit of one row by the bare driver. The first row of the table consists of little else, so all ratios to it
/// depend on the disk.
/// </summary>
internal static class CommitTime
{
    private const int Commits = 200;

    // The first commits make the log file longer, which takes the disk more time. SQLite starts again at the beginning of its
    // log after 1,000 pages: https://www.sqlite.org/wal.html#ckpt
    private const int Before = 1_000;

    private const string Table = "bank_commits";

    /// <returns>Milliseconds of each commit.</returns>
    internal static async Task<double[]> MeasureAsync(DbDataSource source, CancellationToken cancellation)
    {
        await using var open = await source.OpenConnectionAsync(cancellation);
        await RunAsync(open, $"DROP TABLE IF EXISTS {Table}; CREATE TABLE {Table} (number integer)", cancellation);
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
