using Throttled.Testing;

namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>
/// Journals in databases of their own, as the server makes them: its collation, and readers that wait for writers. Readers connect as a user
/// that has the rights of <c>docs/sql/reader-sqlserver.sql</c> and no others.
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

    // Babelfish does not parse a closing bracket within a name, doubles quotes in names to which it grants a right, and has a schema "public"
    // of its own. OddTextsTests has such names on SQL Server itself.
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

/// <summary>The same with a collation that tells all texts apart but for spaces at their ends, which no collation does.</summary>
public sealed class OrdinalSqlServerHost() : SqlServerHost(new ServerKind { Collation = "Latin1_General_100_BIN2" });

/// <summary>The same with a collation that tells no cases apart, of columns' names neither.</summary>
public sealed class CaselessSqlServerHost() : SqlServerHost(new ServerKind { Collation = "SQL_Latin1_General_CP1_CI_AS" });

/// <summary>The same with readers that wait for no writer (READ_COMMITTED_SNAPSHOT), as Azure SQL has it.</summary>
public sealed class SnapshotSqlServerHost() : SqlServerHost(new ServerKind { ReadsSnapshots = true, HasLateCommits = true });

/// <summary>The same with readers that may not see locks, so that a gap is waited for as long as the options say.</summary>
public sealed class BlindSqlServerHost() : SqlServerHost(new ServerKind { ShowsLocks = false, HasLateCommits = true });

/// <summary>The same where the last identity has to be seen; on Babelfish without the least rights.</summary>
public sealed class RewindSqlServerHost() : SqlServerHost(new ServerKind { ShowsIdentities = true });

/// <summary>The same where transactions of the test commit late.</summary>
public sealed class LateSqlServerHost() : SqlServerHost(new ServerKind { HasLateCommits = true });
