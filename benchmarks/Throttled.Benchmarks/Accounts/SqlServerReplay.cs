using BankAccounts.Databases;
using Microsoft.Data.SqlClient;
using Throttled.Benchmarks.Accounts.Floor;

namespace Throttled.Benchmarks.Accounts;

/// <summary>Two databases of a SQL Server, for the journals and for the read model. The benchmark creates them and drops them at the end.</summary>
/// <param name="administrator">The connection string of a user who may create databases.</param>
internal sealed class SqlServerReplay(string administrator) : ReplayDatabase(Title, new SqlServerBank(administrator))
{
    /// <summary>The environment variable with the connection string, as for the tests.</summary>
    internal const string Variable = "THROTTLED_SQLSERVER";

    internal const string Title = "SQL Server";

    internal override IFloor OpenFloor(FloorPlan plan) =>
        new SqlServerFloor(SqlServerBank.In(administrator, SqlServerBank.Journal), SqlServerBank.In(administrator, SqlServerBank.Accounts), plan);

    protected override Task ClearAsync() => SqlServerBank.DropAsync(administrator, SqlServerBank.Accounts);

    protected override async Task SettleAsync(JournalTables tables)
    {
        await using var journals = SqlClientFactory.Instance.CreateDataSource(SqlServerBank.In(administrator, SqlServerBank.Journal));
        await Scalar.RunAsync(journals, $"UPDATE STATISTICS {tables.JournalTable}", CancellationToken.None);
        await Scalar.RunAsync(journals, "CHECKPOINT", CancellationToken.None);
    }

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        await SqlServerBank.DropAsync(administrator, SqlServerBank.Accounts);
        await SqlServerBank.DropAsync(administrator, SqlServerBank.Journal);
    }
}
