using Throttled.Journal.Database;

namespace Throttled.Journal.Sqlite;

/// <summary>Opens an Akka.NET journal that is kept in a SQLite file.</summary>
public static class SqliteJournal
{
    /// <summary>
    /// Opens a reader. Nothing is read yet, and neither the file nor its tables need to be there: queries wait for them.
    /// The file is only ever read; its directory must be writable while it is in WAL mode and no other process has it open.
    /// </summary>
    /// <param name="connectionString">As Microsoft.Data.Sqlite has it: <c>Data Source=journal.db</c>. Mode and pooling are the reader's own.</param>
    /// <param name="options">How to read; the defaults where null.</param>
    /// <exception cref="ArgumentException">The connection string names no database that several connections can read, or an option is out of its range.</exception>
    public static JournalReader OpenReader(string connectionString, JournalOptions? options = null)
    {
        options ??= new();
        return new(OpenDatabase(connectionString, options), options);
    }

    /// <summary>
    /// Opens an appender. The file is created where it is not there. It commits with <c>synchronous = NORMAL</c>: in WAL mode
    /// a crash of the process loses nothing, a loss of power the last transactions.
    /// </summary>
    /// <param name="connectionString">As Microsoft.Data.Sqlite has it: <c>Data Source=journal.db</c>.</param>
    /// <param name="tables">The tables to write to; <see cref="JournalTables.Default"/> where null.</param>
    /// <remarks>
    /// <see cref="JournalAppender.CreateAsync"/> switches the file to WAL mode, one that is there already too. The mode stays with
    /// the file, for whoever opens it: https://www.sqlite.org/wal.html. Where it must not change, do not call that method;
    /// appending leaves the mode as it is.
    /// </remarks>
    /// <exception cref="ArgumentException">
    /// The connection string names no database that readers can share, or cannot be written to; or a table's or column's name is none.
    /// </exception>
    public static JournalAppender OpenAppender(string connectionString, JournalTables? tables = null)
    {
        tables ??= JournalTables.Default;
        new JournalOptions { Tables = tables }.Validate();
        return new SqliteAppender(SqliteSource.Parse(connectionString), tables, TimeProvider.System);
    }

    /// <summary>For who brings an engine of his own.</summary>
    /// <exception cref="ArgumentException">As with <see cref="OpenReader"/>.</exception>
    internal static IJournalDatabase OpenDatabase(string connectionString, JournalOptions options)
    {
        options.Validate();
        if (options.Notify)
            throw new ArgumentException("'Notify' is true; it must be false, because SQLite tells other processes nothing. Leave it out.");
        return new SqliteDatabase(SqliteSource.Parse(connectionString), options);
    }
}
