using Throttled.Journal.Database;

namespace Throttled.Journal.Sqlite;

/// <summary>Opens an Akka.NET journal that is kept in a SQLite file.</summary>
public static class SqliteJournal
{
    /// <summary>
    /// Opens a reader. This method reads nothing. The file and its tables need not exist yet: queries wait for them. The reader
    /// never writes to the file. Its directory must be writable if the file is in WAL mode and no other process has it open.
    /// </summary>
    /// <param name="connectionString">
    /// A connection string of Microsoft.Data.Sqlite: <c>Data Source=journal.db</c>. The reader sets mode and pooling itself.
    /// </param>
    /// <param name="options">How to read; null for the defaults.</param>
    /// <exception cref="ArgumentException">
    /// The connection string names no database that several connections can share, or an option is out of its range.
    /// </exception>
    public static JournalReader OpenReader(string connectionString, JournalOptions? options = null)
    {
        options ??= new();
        return new(OpenDatabase(connectionString, options), options);
    }

    /// <summary>
    /// Opens an appender. A missing file is created. The appender commits with <c>synchronous = NORMAL</c>. In WAL mode, a
    /// crash of the process loses nothing; a power failure loses the last transactions.
    /// </summary>
    /// <param name="connectionString">A connection string of Microsoft.Data.Sqlite: <c>Data Source=journal.db</c>.</param>
    /// <param name="tables">The tables to write to; null for <see cref="JournalTables.Default"/>.</param>
    /// <remarks>
    /// <see cref="JournalAppender.CreateAsync"/> switches the file to WAL mode, also if the file exists. The file keeps the mode for every later
    /// connection: https://www.sqlite.org/wal.html. If the mode must not change, do not call that method. Appending does not change the mode.
    /// </remarks>
    /// <exception cref="ArgumentException">
    /// The connection string names no database that readers can share, or one that cannot be written to; or the name of a table
    /// or a column is invalid.
    /// </exception>
    public static JournalAppender OpenAppender(string connectionString, JournalTables? tables = null)
    {
        tables ??= JournalTables.Default;
        new JournalOptions { Tables = tables }.Validate();
        return new SqliteAppender(SqliteSource.Parse(connectionString), tables, TimeProvider.System);
    }

    /// <summary>For callers that create the engine themselves.</summary>
    /// <exception cref="ArgumentException">As with <see cref="OpenReader"/>.</exception>
    internal static IJournalDatabase OpenDatabase(string connectionString, JournalOptions options)
    {
        options.Validate();
        if (options.Notify)
            throw new ArgumentException("'Notify' is true; it must be false, because SQLite cannot notify other processes. Leave it out.");
        return new SqliteDatabase(SqliteSource.Parse(connectionString), options);
    }
}
