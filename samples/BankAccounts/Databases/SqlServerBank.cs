using System.Data.Common;
using BankAccounts.Handlers;
using Microsoft.Data.SqlClient;
using Throttled.Journal;
using Throttled.Journal.SqlServer;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Databases;

/// <summary>Databases of its own on a SQL Server, for the read model and for the journals. Only the benchmark uses it.</summary>
internal sealed class SqlServerBank : IBankDatabase
{
    internal const string Journal = "throttled_bench_journal";

    internal const string Accounts = "throttled_bench_accounts";

    private readonly string _administrator;
    private readonly string _journal;

    internal SqlServerBank(string administrator)
    {
        (_administrator, _journal) = (administrator, In(administrator, Journal));
        Source = SqlClientFactory.Instance.CreateDataSource(In(administrator, Accounts));
        ReadModel = ReadModelDatabase.SqlServer(Source);
    }

    public DbDataSource Source { get; }

    public ReadModelDatabase ReadModel { get; }

    public AccountSql Sql { get; } = new SqlServerAccounts();

    public JournalReader OpenReader(JournalOptions options) => SqlServerJournal.OpenReader(_journal, options);

    public JournalAppender OpenAppender(JournalTables tables)
    {
        CreateAsync(_administrator, Journal, CancellationToken.None).GetAwaiter().GetResult();
        return SqlServerJournal.OpenAppender(_journal, tables);
    }

    public Task CreateAsync(CancellationToken cancellation) => CreateAsync(_administrator, Accounts, cancellation);

    public async Task<long?> CountAsync(JournalTables tables, CancellationToken cancellation)
    {
        await using var journal = SqlClientFactory.Instance.CreateDataSource(_journal);
        return await Scalar.ReadAsync(journal, $"SELECT OBJECT_ID(N'{tables.JournalTable}', N'U')", cancellation) is null
            ? null
            : (long?)await Scalar.ReadAsync(journal, $"SELECT COUNT_BIG(*) FROM {tables.JournalTable}", cancellation);
    }

    public CommandException Explain(DbException error) => new($"SQL Server: {error.Message}");

    public ValueTask DisposeAsync() => Source.DisposeAsync();

    internal static string In(string administrator, string database) => new SqlConnectionStringBuilder(administrator) { InitialCatalog = database }.ConnectionString;

    // With row versions, which the projections' page asks for.
    private static Task CreateAsync(string administrator, string database, CancellationToken cancellation) => RunAsync(
        administrator,
        $"IF DB_ID(N'{database}') IS NULL BEGIN EXEC(N'CREATE DATABASE {database}'); "
        + $"EXEC(N'ALTER DATABASE {database} SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE; ALTER DATABASE {database} SET ALLOW_SNAPSHOT_ISOLATION ON') END",
        cancellation);

    internal static Task DropAsync(string administrator, string database)
    {
        SqlConnection.ClearAllPools();
        return RunAsync(
            administrator,
            $"IF DB_ID(N'{database}') IS NOT NULL BEGIN EXEC(N'ALTER DATABASE {database} SET SINGLE_USER WITH ROLLBACK IMMEDIATE'); EXEC(N'DROP DATABASE {database}') END",
            CancellationToken.None);
    }

    private static async Task RunAsync(string administrator, string sql, CancellationToken cancellation)
    {
        await using var master = SqlClientFactory.Instance.CreateDataSource(In(administrator, "master"));
        await Scalar.RunAsync(master, sql, cancellation);
    }
}
