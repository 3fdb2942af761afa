using System.Collections.Concurrent;
using Microsoft.Data.SqlClient;

namespace Throttled.Journal.SqlServer.Tests;

/// <summary>The server or the container image of the environment. Its databases and its reader's login are dropped with this object. Thread-safe.</summary>
internal sealed class TestServer : IDisposable
{
    // Must not contain a part of the login's name, which the password policy of Windows refuses.
    private const string Password = "Only-4-what-is-read";

    private static readonly Lazy<bool> LazyIsBabelfish = new(AskIsBabelfish);

    // One at a time, because two creations at once cannot both lock the model database (error 1807).
    private static readonly Lock Databases = new();

    private readonly string _name = $"throttled_{Guid.NewGuid():N}"[..18];
    private readonly ConcurrentDictionary<string, Task> _dropped = new();
    private readonly DatabasePool _databasePool;
    private readonly ServerKind _kind;
    private int _databases;

    private TestServer(ServerKind kind)
    {
        _kind = kind;
        _databasePool = new(NewDatabase, _ => false);
        Run(Of("master"), $"CREATE LOGIN [{Reader}] WITH PASSWORD = '{Password}'");
        if (kind.ShowsLocks && !IsBabelfish)
            Run(Of("master"), $"GRANT VIEW SERVER STATE TO [{Reader}]");
    }

    /// <summary>Whether the server is Babelfish, which has the protocol and the language of SQL Server but neither its locks nor its backups.</summary>
    internal static bool IsBabelfish => SqlServerTests.IsNamed && LazyIsBabelfish.Value;

    /// <summary>The user of readers.</summary>
    internal string Reader => $"{_name}_reader";

    /// <summary>The options of a reader. If locks are not visible and the test sets no GapTimeout, it is 1 s, or 20 s for late commits.</summary>
    internal JournalOptions Patient(JournalOptions options) =>
        _kind.ShowsLocks && !IsBabelfish ? options with { GapMinAge = TimeSpan.Zero }
            : options.GapTimeout != new JournalOptions().GapTimeout ? options
            : options with { GapTimeout = TimeSpan.FromSeconds(_kind.HasLateCommits ? 20 : 1) };

    internal static TestServer Start(ServerKind? kind = null) => new(kind ?? new());

    /// <summary>Creates an empty database.</summary>
    /// <returns>The connection string of the owner.</returns>
    internal string CreateDatabase() => _databasePool.Take();

    /// <summary>The connection string of a reader of such a database.</summary>
    internal string ReaderOf(string connectionString) => _kind.ShowsIdentities && IsBabelfish
        ? connectionString
        : new SqlConnectionStringBuilder(connectionString) { UserID = Reader, Password = Password, IntegratedSecurity = false }.ConnectionString;

    /// <summary>Drops a database while the tests go on.</summary>
    internal void Drop(string connectionString) =>
        _dropped.GetOrAdd(DatabaseOf(connectionString), name => Task.Run(() => DropAsync(name)));

    public void Dispose()
    {
        _databasePool.Close();
        for (var i = 1; i <= _databases; i++)
            Drop(Of(NameOf(i)));
        try
        {
            Task.WaitAll([.. _dropped.Values]);
        }
        finally
        {
            Wait.UntilAsync(HasNoLogin, $"the end of the login {Reader}").GetAwaiter().GetResult();
        }
    }

    // Its last session may still be closing.
    private bool HasNoLogin() => Tries(() => Run(Of("master"), $"DROP LOGIN [{Reader}]"));

    private static bool AskIsBabelfish()
    {
        if (Scalar(Administrator(), "SELECT CAST(SERVERPROPERTY('BabelfishVersion') AS NVARCHAR(100))") is not string)
            return false;
        Run(Of("tempdb"), Babelfish.Complete);
        return true;
    }

    private string NewDatabase()
    {
        var name = NameOf(Interlocked.Increment(ref _databases));
        lock (Databases)
            Run(Administrator(), $"CREATE DATABASE [{name}]{(_kind.Collation is { } collation ? $" COLLATE {collation}" : "")}");
        // Babelfish always reads snapshots.
        if (!IsBabelfish)
            Run(Administrator(), $"ALTER DATABASE [{name}] SET READ_COMMITTED_SNAPSHOT {(_kind.ReadsSnapshots ? "ON" : "OFF")}");
        return Of(name);
    }

    // A session that was closed here exists on the server for a moment longer. If possible, it is closed there.
    private static Task DropAsync(string name) => Wait.UntilAsync(() => IsDropped(name), $"the end of the database {name}");

    private static bool IsDropped(string name) => Tries(() =>
    {
        if (!IsBabelfish)
            Run(Administrator(), $"IF DB_ID('{name}') IS NOT NULL ALTER DATABASE [{name}] SET SINGLE_USER WITH ROLLBACK IMMEDIATE");
        lock (Databases)
            Run(Administrator(), $"IF DB_ID('{name}') IS NOT NULL DROP DATABASE [{name}]");
    });

    private static bool Tries(Action run)
    {
        try
        {
            run();
            return true;
        }
        catch (SqlException)
        {
            return false;
        }
    }

    private string NameOf(int number) => FormattableString.Invariant($"{_name}_{number}");

    private static string Of(string database) =>
        new SqlConnectionStringBuilder(Administrator()) { InitialCatalog = database }.ConnectionString;

    private static string DatabaseOf(string connectionString) => new SqlConnectionStringBuilder(connectionString).InitialCatalog;

    private static string Administrator() => new SqlConnectionStringBuilder(SqlServerTests.ConnectionString) { Pooling = false }.ConnectionString;

    private static void Run(string connectionString, string sql) => Scalar(connectionString, sql);

    private static object? Scalar(string connectionString, string sql)
    {
        using var connection = new SqlConnection(connectionString);
        connection.Open();
        using var command = new SqlCommand(sql, connection) { CommandTimeout = 120 };
        return command.ExecuteScalar();
    }
}
