namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>
/// Journals in databases of their own, with the server's defaults: its collation, and readers that wait for writers. Readers connect as
/// a user with exactly the rights of <c>docs/sql/reader-sqlserver.sql</c>.
/// </summary>
[ContractOn(ContractDatabase.SqlServer)]
public class SqlServerHost : IJournalHost, IDisposable
{
    private readonly Lazy<TestServer> _server;

    public SqlServerHost()
        : this(new())
    {
    }

    internal SqlServerHost(ServerKind kind) => _server = new(() => TestServer.Start(kind));

    public async Task<JournalUnderTest> NewJournalAsync(JournalTables? tables = null)
    {
        var journal = New(tables ?? JournalTables.Default);
        await journal.CreateAsync();
        return journal;
    }

    public async Task<JournalUnderTest> NewAbsentJournalAsync(JournalTables tables)
    {
        var journal = New(tables);
        await journal.ExpectAsync();
        return journal;
    }

    public void Dispose()
    {
        if (_server.IsValueCreated)
            _server.Value.Dispose();
        GC.SuppressFinalize(this);
    }

    private SqlServerJournalUnderTest New(JournalTables tables) => new(_server.Value, _server.Value.CreateDatabase(), Spellable(tables));

    // Babelfish does not parse a closing bracket within a name, doubles quotes in names on which it grants a right, and has its own
    // schema "public". OddTextsTests has such names on SQL Server itself.
    private static JournalTables Spellable(JournalTables tables) => TestServer.IsBabelfish
        ? tables with
        {
            Schema = tables.Schema is { } schema ? Plain(schema) : null,
            JournalTable = Plain(tables.JournalTable),
            TagTable = Plain(tables.TagTable),
            ManifestColumn = Plain(tables.ManifestColumn),
        }
        : tables;

    private static string Plain(string name) => name == "public" ? "published" : name.Replace(']', ')').Replace('"', '`').Replace('\'', '`');
}

/// <summary>With a collation that distinguishes all texts, except by spaces at their ends, which no collation does.</summary>
public sealed class OrdinalSqlServerHost() : SqlServerHost(new ServerKind { Collation = "Latin1_General_100_BIN2" });

/// <summary>With a collation that ignores case, also in the names of columns.</summary>
public sealed class CaselessSqlServerHost() : SqlServerHost(new ServerKind { Collation = "SQL_Latin1_General_CP1_CI_AS" });

/// <summary>With readers that wait for no writer (READ_COMMITTED_SNAPSHOT), as on Azure SQL.</summary>
public sealed class SnapshotSqlServerHost() : SqlServerHost(new ServerKind { ReadsSnapshots = true, HasLateCommits = true });

/// <summary>With readers that may not see locks, so that gaps wait for the time in the options.</summary>
public sealed class BlindSqlServerHost() : SqlServerHost(new ServerKind { ShowsLocks = false, HasLateCommits = true });

/// <summary>With readers that may see the last identity; on Babelfish they have more than the least rights.</summary>
public sealed class RewindSqlServerHost() : SqlServerHost(new ServerKind { ShowsIdentities = true });

/// <summary>With transactions of the test that commit late.</summary>
public sealed class LateSqlServerHost() : SqlServerHost(new ServerKind { HasLateCommits = true });
