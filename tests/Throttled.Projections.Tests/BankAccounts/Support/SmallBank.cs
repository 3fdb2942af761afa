using BankAccounts.Databases;
using BankAccounts.Settings;
using Microsoft.Data.Sqlite;

namespace BankAccounts.Tests.Support;

/// <summary>A bank in two SQLite files, deleted after the test.</summary>
internal sealed class SmallBank : IAsyncDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-bank-");

    internal SmallBank() => Database = IBankDatabase.Open(new BankSettings
    {
        Database = "sqlite",
        Connection = $"Data Source={Path.Combine(_directory.FullName, "accounts.db")}",
        Journal = $"Data Source={Path.Combine(_directory.FullName, "journal.db")}",
    });

    internal IBankDatabase Database { get; }

    public async ValueTask DisposeAsync()
    {
        await Database.DisposeAsync();
        SqliteConnection.ClearAllPools();
        _directory.Delete(recursive: true);
    }
}
