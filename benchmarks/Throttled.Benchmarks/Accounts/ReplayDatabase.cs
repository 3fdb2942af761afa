using BankAccounts.Databases;
using BankAccounts.History;
using BankAccounts.Settings;
using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Benchmarks.Accounts.Floor;

namespace Throttled.Benchmarks.Accounts;

/// <summary>The journals that are replayed, and a read model that each replay begins anew.</summary>
internal abstract class ReplayDatabase(string name, IBankDatabase bank) : IAsyncDisposable
{
    private const int EventsPerTransaction = 20_000;

    /// <summary>As tables of results name it.</summary>
    internal string Name => name;

    internal IBankDatabase Bank => bank;

    internal static JournalTables TablesOf(HistoryShape shape) => BankTables.Named($"bank_{shape.Events}x{shape.Accounts}");

    internal abstract IFloor OpenFloor(FloorPlan plan);

    /// <summary>Writes the journal of a shape.</summary>
    internal async Task SeedAsync(HistoryShape shape)
    {
        await using (var appender = bank.OpenAppender(TablesOf(shape)))
        {
            await appender.CreateAsync();
            foreach (var some in new AccountHistory(shape).All().Chunk(EventsPerTransaction))
                await appender.AppendAsync(some);
        }
        await SettleAsync(TablesOf(shape));
    }

    /// <summary>Removes the read model and makes room for a new one.</summary>
    internal async Task AnewAsync()
    {
        await ClearAsync();
        await bank.CreateAsync(CancellationToken.None);
        GC.Collect();
    }

    /// <summary>Removes the read model with all that is in it.</summary>
    protected abstract Task ClearAsync();

    /// <summary>After a large append: what the database would do by and by, so that no replay pays for it.</summary>
    protected abstract Task SettleAsync(JournalTables tables);

    public virtual ValueTask DisposeAsync() => bank.DisposeAsync();
}

/// <summary>Two SQLite files in a directory.</summary>
internal sealed class SqliteReplay(string directory) : ReplayDatabase("SQLite", IBankDatabase.Open(new()
{
    Database = "sqlite",
    Connection = ConnectionOf(directory, "replay.db"),
    Journal = ConnectionOf(directory, "replay-journals.db"),
}))
{
    internal override IFloor OpenFloor(FloorPlan plan) =>
        new SqliteFloor(ConnectionOf(directory, "replay-journals.db"), ConnectionOf(directory, "replay.db"), plan);

    protected override Task ClearAsync()
    {
        SqliteConnection.ClearAllPools();
        foreach (var suffix in new[] { "", "-wal", "-shm" })
            File.Delete(Path.Combine(directory, $"replay.db{suffix}"));
        return Task.CompletedTask;
    }

    protected override async Task SettleAsync(JournalTables tables)
    {
        await using var journals = SqliteFactory.Instance.CreateDataSource(ConnectionOf(directory, "replay-journals.db"));
        await Scalar.RunAsync(journals, "PRAGMA wal_checkpoint(TRUNCATE)", CancellationToken.None);
    }

    private static string ConnectionOf(string directory, string file) => $"Data Source={Path.Combine(directory, file)}";
}

/// <summary>A PostgreSQL server of the benchmark's own, with the read model in a schema.</summary>
internal sealed class PostgreSqlReplay(string connection) : ReplayDatabase("PostgreSQL", IBankDatabase.Open(new()
{
    Database = "postgres",
    Connection = $"{connection};Search Path={Schema}",
    Journal = connection,
}))
{
    private const string Schema = "bank_replay";

    private readonly NpgsqlDataSource _journal = NpgsqlDataSource.Create(connection);

    internal override IFloor OpenFloor(FloorPlan plan) => new PostgreSqlFloor(_journal, (NpgsqlDataSource)Bank.Source, plan);

    protected override async Task ClearAsync()
    {
        await Scalar.RunAsync(_journal, $"DROP SCHEMA IF EXISTS {Schema} CASCADE", CancellationToken.None);
        await Scalar.RunAsync(_journal, "CHECKPOINT", CancellationToken.None);
    }

    protected override async Task SettleAsync(JournalTables tables)
    {
        await Scalar.RunAsync(_journal, $"VACUUM (ANALYZE) {tables.JournalTable}", CancellationToken.None);
        await Scalar.RunAsync(_journal, "CHECKPOINT", CancellationToken.None);
    }

    public override async ValueTask DisposeAsync()
    {
        await _journal.DisposeAsync();
        await base.DisposeAsync();
    }
}
