using System.Data.Common;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Database;

namespace Throttled.Journal.SqlServer;

/// <summary>Opens an Akka.NET journal that is kept in SQL Server or Azure SQL.</summary>
public static class SqlServerJournal
{
    /// <summary>Opens a reader with its own connections. This method reads nothing. Server and tables need not exist yet: queries wait for them.</summary>
    /// <param name="connectionString">
    /// A connection string of Microsoft.Data.SqlClient. <c>Application Intent</c> must not be <c>ReadOnly</c>. The reader does
    /// its own pooling. <c>Connect Timeout</c> is limited to 10 s; 0 counts as 10 s.
    /// </param>
    /// <param name="options">How to read; null for the defaults.</param>
    /// <exception cref="ArgumentException">The connection string could lead to several servers, or an option is out of its range.</exception>
    public static JournalReader OpenReader(string connectionString, JournalOptions? options = null)
    {
        options ??= new();
        return new(OpenDatabase(connectionString, options), options);
    }

    /// <summary>Opens a reader on a data source of yours, for example for access tokens or connections that you set up yourself.</summary>
    /// <param name="dataSource">
    /// Creates <see cref="Microsoft.Data.SqlClient.SqlConnection"/>s. The reader does not dispose it. Its pool should have room
    /// for the permits and two more connections, besides those of its other users. Permits beyond that room are not used.
    /// </param>
    /// <param name="options">How to read; null for the defaults.</param>
    /// <exception cref="ArgumentException">The data source could lead to several servers, or an option is out of its range.</exception>
    public static JournalReader OpenReader(DbDataSource dataSource, JournalOptions? options = null)
    {
        options ??= new();
        return new(OpenDatabase(dataSource, options), options);
    }

    /// <summary>Opens an appender with its own connection.</summary>
    /// <param name="connectionString">A connection string of Microsoft.Data.SqlClient.</param>
    /// <param name="tables">The tables to write to; null for <see cref="JournalTables.Default"/>.</param>
    /// <exception cref="ArgumentException">The connection string could lead to several servers, or a name is empty or too long.</exception>
    public static JournalAppender OpenAppender(string connectionString, JournalTables? tables = null) =>
        OpenAppender(() => SqlServerSource.Parse(connectionString), tables ?? JournalTables.Default);

    /// <summary>Opens an appender on a data source of yours.</summary>
    /// <param name="dataSource">Creates the connection. The appender does not dispose it.</param>
    /// <param name="tables">The tables to write to; null for <see cref="JournalTables.Default"/>.</param>
    /// <exception cref="ArgumentException">The data source could lead to several servers, or a name is empty or too long.</exception>
    public static JournalAppender OpenAppender(DbDataSource dataSource, JournalTables? tables = null) =>
        OpenAppender(() => SqlServerSource.Of(dataSource), tables ?? JournalTables.Default);

    /// <summary>For callers that create the engine themselves.</summary>
    /// <exception cref="ArgumentException">As with <see cref="OpenReader(string, JournalOptions)"/>.</exception>
    internal static IJournalDatabase OpenDatabase(string connectionString, JournalOptions options) =>
        OpenDatabase(() => SqlServerSource.Parse(connectionString), options);

    /// <summary>For callers that create the engine themselves.</summary>
    /// <exception cref="ArgumentException">As with <see cref="OpenReader(DbDataSource, JournalOptions)"/>.</exception>
    internal static IJournalDatabase OpenDatabase(DbDataSource dataSource, JournalOptions options) =>
        OpenDatabase(() => SqlServerSource.Of(dataSource), options);

    /// <summary>The driver, for callers that open connections themselves.</summary>
    internal static DbProviderFactory Driver => SqlClientFactory.Instance;

    /// <summary>Whether a data source creates connections of this driver, as far as it is known: the driver has no type for its data sources.</summary>
    internal static bool Takes(DbDataSource dataSource) => SqlServerSource.Makes(dataSource);

    private static SqlServerDatabase OpenDatabase(Func<SqlServerSource> source, JournalOptions options)
    {
        options.Validate();
        SqlServerNames.ThrowIfTooLong(options.Tables);
        return new(source(), options);
    }

    private static SqlServerAppender OpenAppender(Func<SqlServerSource> source, JournalTables tables)
    {
        new JournalOptions { Tables = tables }.Validate();
        SqlServerNames.ThrowIfTooLong(tables);
        return new(source(), tables, TimeProvider.System);
    }
}
