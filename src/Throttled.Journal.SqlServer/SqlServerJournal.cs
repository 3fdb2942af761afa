using System.Data.Common;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Database;

namespace Throttled.Journal.SqlServer;

/// <summary>Opens an Akka.NET journal that is kept in SQL Server or Azure SQL.</summary>
public static class SqlServerJournal
{
    /// <summary>
    /// Opens a reader with connections of its own. Nothing is read yet, and neither the server nor the tables need to be
    /// there: queries wait for them.
    /// </summary>
    /// <param name="connectionString">
    /// As Microsoft.Data.SqlClient has it. <c>Application Intent</c> must not be <c>ReadOnly</c>. Pooling is the reader's own, and
    /// <c>Connect Timeout</c> is 10 s at most, also where it is 0.
    /// </param>
    /// <param name="options">How to read; the defaults where null.</param>
    /// <exception cref="ArgumentException">The connection string could lead to several servers, or an option is out of its range.</exception>
    public static JournalReader OpenReader(string connectionString, JournalOptions? options = null)
    {
        options ??= new();
        return new(OpenDatabase(connectionString, options), options);
    }

    /// <summary>Opens a reader on a data source of yours, for access tokens and connections that you set up yourself.</summary>
    /// <param name="dataSource">
    /// Makes <see cref="Microsoft.Data.SqlClient.SqlConnection"/>s. It is not disposed. Its pool should have room for the permits and two
    /// connections more, beside what others take; permits beyond that room are not used.
    /// </param>
    /// <param name="options">How to read; the defaults where null.</param>
    /// <exception cref="ArgumentException">The data source could lead to several servers, or an option is out of its range.</exception>
    public static JournalReader OpenReader(DbDataSource dataSource, JournalOptions? options = null)
    {
        options ??= new();
        return new(OpenDatabase(dataSource, options), options);
    }

    /// <summary>Opens an appender with a connection of its own.</summary>
    /// <param name="connectionString">As Microsoft.Data.SqlClient has it.</param>
    /// <param name="tables">The tables to write to; <see cref="JournalTables.Default"/> where null.</param>
    /// <exception cref="ArgumentException">The connection string could lead to several servers, or a name is empty or too long.</exception>
    public static JournalAppender OpenAppender(string connectionString, JournalTables? tables = null) =>
        OpenAppender(() => SqlServerSource.Parse(connectionString), tables ?? JournalTables.Default);

    /// <summary>Opens an appender on a data source of yours.</summary>
    /// <param name="dataSource">Makes the connection. It is not disposed.</param>
    /// <param name="tables">The tables to write to; <see cref="JournalTables.Default"/> where null.</param>
    /// <exception cref="ArgumentException">The data source could lead to several servers, or a name is empty or too long.</exception>
    public static JournalAppender OpenAppender(DbDataSource dataSource, JournalTables? tables = null) =>
        OpenAppender(() => SqlServerSource.Of(dataSource), tables ?? JournalTables.Default);

    /// <summary>For who brings an engine of his own.</summary>
    /// <exception cref="ArgumentException">As with <see cref="OpenReader(string, JournalOptions)"/>.</exception>
    internal static IJournalDatabase OpenDatabase(string connectionString, JournalOptions options) =>
        OpenDatabase(() => SqlServerSource.Parse(connectionString), options);

    /// <summary>For who brings an engine of his own.</summary>
    /// <exception cref="ArgumentException">As with <see cref="OpenReader(DbDataSource, JournalOptions)"/>.</exception>
    internal static IJournalDatabase OpenDatabase(DbDataSource dataSource, JournalOptions options) =>
        OpenDatabase(() => SqlServerSource.Of(dataSource), options);

    /// <summary>The driver, for callers that open connections themselves.</summary>
    internal static DbProviderFactory Driver => SqlClientFactory.Instance;

    /// <summary>Whether a data source is this driver's, as far as it tells: the driver has no type of its own for them.</summary>
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
