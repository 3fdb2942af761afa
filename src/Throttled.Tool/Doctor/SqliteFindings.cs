using System.Globalization;

namespace Throttled.Tool.Doctor;

/// <summary>Checks a SQLite file. It reads nothing itself.</summary>
internal static class SqliteFindings
{
    private const long LargeWal = 256L << 20;

    /// <param name="version">The version of SQLite in this program.</param>
    /// <param name="file">The file's path.</param>
    /// <param name="walBytes">The size of its write-ahead log in bytes; 0 if there is none.</param>
    /// <param name="size">How large the journal is; null if it cannot be read.</param>
    internal static IEnumerable<Finding> Of(string version, string file, long walBytes, JournalSize? size)
    {
        yield return Finding.Good("file", $"{file}, read by SQLite {version}");
        if (walBytes > LargeWal)
            yield return Finding.Warning("file", string.Create(CultureInfo.InvariantCulture, $"The write-ahead log has {walBytes >> 20:N0} MiB: a reader or a long transaction prevents its checkpoint"), "End long transactions on the file, then run PRAGMA wal_checkpoint(TRUNCATE);");
        if (size is not null)
            yield return Finding.Good("size", size.Text);
    }
}
