using System.Data.Common;
using Npgsql;
using Throttled.Journal.Database;

namespace Throttled.Journal.PostgreSql;

/// <summary>Opens an Akka.NET journal that is kept in PostgreSQL.</summary>
public static class PostgreSqlJournal
{
    /// <summary>Opens a reader with its own connections. This method reads nothing. Server and tables need not exist yet: queries wait for them.</summary>
    /// <param name="connectionString">
    /// A connection string of Npgsql. With several hosts, <c>Target Session Attributes</c> must be <c>primary</c> or
    /// <c>read-write</c>. The reader does its own pooling. <c>Timeout</c> is limited to 10 s; 0 counts as 10 s.
    /// </param>
    /// <param name="options">How to read; null for the defaults.</param>
    /// <exception cref="ArgumentException">The connection string could lead to several servers, or an option is out of its range.</exception>
    public static JournalReader OpenReader(string connectionString, JournalOptions? options = null)
    {
        options ??= new();
        return new(OpenDatabase(connectionString, options), options);
    }

    /// <summary>Opens a reader on a data source of yours, for example for passwords that change or your own TLS settings.</summary>
    /// <param name="dataSource">
    /// Creates the connections. The reader does not dispose it. Its pool should have room for the permits and two more connections, besides those of
    /// its other users. Permits beyond that room are not used. With several hosts, its connection string must contain <c>Target Session
    /// Attributes=primary</c> or <c>read-write</c>. The reader cannot see a value that <c>WithTargetSession</c> set.
    /// </param>
    /// <param name="options">How to read; null for the defaults.</param>
    /// <exception cref="ArgumentException">The data source multiplexes or could lead to several servers, or an option is out of its range.</exception>
    public static JournalReader OpenReader(NpgsqlDataSource dataSource, JournalOptions? options = null) =>
        Open(() => PostgreSqlSource.Of(dataSource), options ?? new());

    /// <summary>Opens an appender with its own connection.</summary>
    /// <param name="connectionString">A connection string of Npgsql.</param>
    /// <param name="tables">The tables to write to; null for <see cref="JournalTables.Default"/>.</param>
    /// <exception cref="ArgumentException">The connection string could lead to several servers, or a name is empty or too long.</exception>
    public static JournalAppender OpenAppender(string connectionString, JournalTables? tables = null) =>
        OpenAppender(() => PostgreSqlSource.Parse(connectionString), tables ?? JournalTables.Default);

    /// <summary>Opens an appender on a data source of yours.</summary>
    /// <param name="dataSource">Creates the connection. The appender does not dispose it.</param>
    /// <param name="tables">The tables to write to; null for <see cref="JournalTables.Default"/>.</param>
    /// <exception cref="ArgumentException">The data source multiplexes or could lead to several servers, or a name is empty or too long.</exception>
    public static JournalAppender OpenAppender(NpgsqlDataSource dataSource, JournalTables? tables = null) =>
        OpenAppender(() => PostgreSqlSource.Of(dataSource), tables ?? JournalTables.Default);

    /// <summary>For callers that create the engine themselves.</summary>
    /// <exception cref="ArgumentException">As with <see cref="OpenReader(string, JournalOptions)"/>.</exception>
    internal static IJournalDatabase OpenDatabase(string connectionString, JournalOptions options) =>
        OpenDatabase(() => PostgreSqlSource.Parse(connectionString, PostgreSqlSession.DriverSeconds(options)), options);

    /// <summary>For callers that create the engine themselves and have only a <see cref="DbDataSource"/>.</summary>
    /// <exception cref="ArgumentException">
    /// As with <see cref="OpenReader(NpgsqlDataSource, JournalOptions)"/>, or the data source is another driver's.
    /// </exception>
    internal static IJournalDatabase OpenDatabase(DbDataSource dataSource, JournalOptions options) =>
        OpenDatabase(() => PostgreSqlSource.Of(dataSource), options);

    /// <summary>For callers that have only a <see cref="DbDataSource"/>.</summary>
    /// <exception cref="ArgumentException">
    /// As with <see cref="OpenAppender(NpgsqlDataSource, JournalTables)"/>, or the data source is another driver's.
    /// </exception>
    internal static JournalAppender OpenAppender(DbDataSource dataSource, JournalTables tables) => OpenAppender(() => PostgreSqlSource.Of(dataSource), tables);

    /// <summary>The driver, for callers that open connections themselves.</summary>
    internal static DbProviderFactory Driver => NpgsqlFactory.Instance;

    /// <summary>Whether a data source creates connections of this driver. Opens none.</summary>
    internal static bool Takes(DbDataSource dataSource) => PostgreSqlSource.Makes(dataSource);

    private static JournalReader Open(Func<PostgreSqlSource> source, JournalOptions options) => new(OpenDatabase(source, options), options);

    // Checked before a source is created, because no caller would dispose it.
    private static PostgreSqlDatabase OpenDatabase(Func<PostgreSqlSource> source, JournalOptions options)
    {
        options.Validate();
        PostgreSqlNames.ThrowIfTooLong(options.Tables);
        return new(source(), options);
    }

    private static PostgreSqlAppender OpenAppender(Func<PostgreSqlSource> source, JournalTables tables)
    {
        new JournalOptions { Tables = tables }.Validate();
        PostgreSqlNames.ThrowIfTooLong(tables);
        return new(source(), tables, TimeProvider.System);
    }
}
