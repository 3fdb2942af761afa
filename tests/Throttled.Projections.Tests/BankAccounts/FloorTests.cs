using BankAccounts.Handlers;
using BankAccounts.History;
using Microsoft.Data.Sqlite;
using Microsoft.SqlServer.TransactSql.ScriptDom;
using Throttled.Benchmarks.Accounts;
using Throttled.Benchmarks.Accounts.Floor;
using Throttled.Testing;

namespace BankAccounts.Tests;

/// <summary>The raw floor beside the replays of the benchmarks, and the rows that are measured.</summary>
public sealed class FloorTests : IDisposable
{
    private static readonly HistoryShape Shape = new() { Events = 5_000, Accounts = 500, Closed = 0.2 };

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-bank-");

    [Theory]
    [InlineData(500)]
    [InlineData(499)]
    [InlineData(10_000)]
    public async Task The_floor_makes_the_balances_of_a_recomputation(int batch)
    {
        await using var database = new SqliteReplay(_directory.FullName);
        await database.AnewAsync();
        await database.SeedAsync(Shape);

        var events = await database.OpenFloor(new(ReplayDatabase.TablesOf(Shape), "floor", batch)).RunAsync(CancellationToken.None);

        await using var journal = database.Bank.OpenReader(new JournalOptions { Tables = ReplayDatabase.TablesOf(Shape) });
        var recomputed = await Recomputation.OfAsync(journal, CancellationToken.None);
        var found = await AccountCheck.RunAsync(database.Bank, AccountSql.TableOf("floor"), recomputed, CancellationToken.None);
        Assert.Equal(Shape.Events, events);
        Assert.Empty(found.First);
        Assert.Equal(new AccountHistory(Shape).All().Select(each => each.PersistenceId).Distinct().Order(), recomputed.Keys.Order());
    }

    [Theory]
    [InlineData(nameof(ReplayWriter.Statements))]
    [InlineData(nameof(ReplayWriter.Linq2Db))]
    [InlineData(nameof(ReplayWriter.EfCore))]
    [InlineData(nameof(ReplayWriter.MergedWrites))]
    public async Task Each_way_to_write_makes_the_balances_of_a_recomputation(string writer)
    {
        await using var database = new SqliteReplay(_directory.FullName);
        await database.AnewAsync();
        var shape = Shape with { Events = 1_000, Accounts = 100 };
        await database.SeedAsync(shape);

        var figures = await new ProjectionRound(database.Bank, new(writer, 50, 2, Enum.Parse<ReplayWriter>(writer), shape)).RunAsync(CancellationToken.None);

        await using var journal = database.Bank.OpenReader(new JournalOptions { Tables = ReplayDatabase.TablesOf(shape) });
        var recomputed = await Recomputation.OfAsync(journal, CancellationToken.None);
        Assert.Empty((await AccountCheck.RunAsync(database.Bank, AccountSql.TableOf(ProjectionRound.Name), recomputed, CancellationToken.None)).First);
        Assert.True(figures.BytesBefore > 0 && Math.Max(figures.FirstHalf, figures.SecondHalf) > 0);
    }

    [SqlServerTheory]
    [InlineData(nameof(ReplayWriter.Statements))]
    [InlineData(nameof(ReplayWriter.Linq2Db))]
    [InlineData(nameof(ReplayWriter.EfCore))]
    [InlineData(nameof(ReplayWriter.MergedWrites))]
    public async Task On_SQL_Server_the_floor_and_each_way_to_write_make_the_balances_of_a_recomputation(string writer)
    {
        await using var database = new SqlServerReplay(SqlServerTests.ConnectionString);
        await database.AnewAsync();
        var shape = Shape with { Events = 1_000, Accounts = 100 };
        await database.SeedAsync(shape);

        await database.OpenFloor(new(ReplayDatabase.TablesOf(shape), "floor", 99)).RunAsync(CancellationToken.None);
        await new ProjectionRound(database.Bank, new(writer, 50, 2, Enum.Parse<ReplayWriter>(writer), shape)).RunAsync(CancellationToken.None);

        await using var journal = database.Bank.OpenReader(new JournalOptions { Tables = ReplayDatabase.TablesOf(shape) });
        var recomputed = await Recomputation.OfAsync(journal, CancellationToken.None);
        foreach (var version in (string[])["floor", ProjectionRound.Name])
            Assert.Empty((await AccountCheck.RunAsync(database.Bank, AccountSql.TableOf(version), recomputed, CancellationToken.None)).First);
    }

    [Fact]
    public void The_statements_for_SQL_Server_are_well_formed()
    {
        var floor = new SqlServerFloor("", "", new(ReplayDatabase.TablesOf(Shape), "floor", 10));
        foreach (var statement in floor.Statements.Append(new SqlServerAccounts().Show("accounts", "floor")).Append(AccountSql.Drop("floor")))
        {
            new TSql140Parser(initialQuotedIdentifiers: true).Parse(new StringReader(statement), out var errors);
            Assert.True(errors.Count == 0, $"{statement}: {string.Join("; ", errors.Select(error => error.Message))}");
        }
    }

    [Fact]
    public void Slow_rows_replay_a_part()
    {
        var rows = ReplayRow.All(new() { Events = 1_000_000, Accounts = 100_000 }).ToList();

        Assert.Equal([1, 500, 500, 500, 500, 500, 500, 2_000, 10_000, 50_000], rows.Select(row => row.Batch));
        Assert.Equal([20_000, 200_000, 200_000, 200_000, 200_000, 200_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000], rows.Select(row => row.Shape.Events));
    }

    [Fact]
    public void A_rebuild_has_only_large_batches()
    {
        var rows = ReplayRow.All(new() { Events = 10_000_000, Accounts = 1_000_000 }).ToList();

        Assert.Equal([10_000, 50_000], rows.Select(row => row.Batch));
        Assert.All(rows, row => Assert.True(row.IsMerged && row.Shape.Events == 10_000_000));
    }

    public void Dispose()
    {
        SqliteConnection.ClearAllPools();
        _directory.Delete(recursive: true);
    }
}
