using System.Data.Common;
using Microsoft.Data.SqlClient;
using Throttled.Projections.Databases;
using Throttled.Projections.Tests.Store;
using Xunit.Abstractions;

namespace Throttled.Projections.Tests.Merging;

[ContractOn(ContractDatabase.SqlServer)]
public sealed class SqlServerMergeTests(ITestOutputHelper output) : MergeContract(output)
{
    private SqlServerReadModel? _database;

    internal override ReadModelDialect Dialect { get; } = new SqlServerReadModelDialect();

    protected override string Schema => "dbo";

    protected override string TextType => "nvarchar(max)";

    protected override string KeyType => "nvarchar(200) COLLATE Latin1_General_100_BIN2";

    protected override string DecimalType => "decimal(37, 18)";

    protected override string BooleanType => "bit";

    protected override string GuidType => "uniqueidentifier";

    protected override string BytesType => "varbinary(200)";

    protected override string TimeType => "datetimeoffset";

    protected override string DateTimeType => "datetime2";

    // The driver reads no decimal of more digits than one of .NET has. A subnormal number is 0.
    protected override (double Smallest, decimal Largest, decimal Finest) Extremes => (2.2250738585072014E-308, 7922816251m, -0.000000000000000001m);

    [SqlServerFact]
    public async Task Sums_are_exact_in_the_column_s_own_type()
    {
        await ExecuteAsync($"CREATE TABLE {Table} (id bigint PRIMARY KEY, a bigint, b int, c smallint, d float, e real, f decimal(19, 4), g decimal(38, 18))");
        var table = new MergeTable<int>().Key("id", _ => 1L)
            .Add("a", n => (long)n).Add("b", n => n).Add("c", n => (short?)n).Add("d", n => n / 4d).Add("e", n => n / 4f).Add("f", n => n / 10m).Add("g", n => n / 10m);
        await WriteAsync(table, 1);
        await WriteAsync(table, 2);
        Assert.Equal(["1|3|3|3|0.75|0.75|0.3000|0.300000000000000000"], await QueryAsync($"SELECT * FROM {Table}"));
    }

    [SqlServerFact]
    public async Task A_value_can_be_cast_to_a_type_of_SqlServer()
    {
        await ExecuteAsync($"CREATE TABLE {Table} (id varchar(50) COLLATE Latin1_General_100_BIN2 PRIMARY KEY, price decimal(28, 28), day date)");
        var table = new MergeTable<(string Id, decimal Price)>().Key("id", r => r.Id).Set("price", r => r.Price).Max("day", _ => new DateTime(2024, 2, 29, 5, 0, 0, DateTimeKind.Utc))
            .Cast("ID", null, "varchar(50)").Cast("price", null, "decimal(28, 28)").Cast("day", null, "date");
        await WriteAsync(table, ("a", 0.0000000000000000000000000001m), ("b", 0.5m));
        await WriteAsync(table, ("a", -0.0000000000000000000000000001m));
        Assert.Equal(
            ["a|-0.0000000000000000000000000001|2024-02-29", "b|0.5000000000000000000000000000|2024-02-29"],
            await QueryAsync($"SELECT id, price, CONVERT(char(10), day, 120) FROM {Table} ORDER BY id"));
    }

    // The database has another collation, so comparing its texts with this column's would be a conflict (error 468).
    [SqlServerFact]
    public async Task Keys_that_differ_only_in_case_are_two_rows_in_a_binary_column()
    {
        await ExecuteAsync($"CREATE TABLE {Table} (id {KeyType} PRIMARY KEY, owner nvarchar(50) COLLATE Latin1_General_100_CS_AS)");
        var table = new MergeTable<(string Id, string? Owner)>().Key("id", r => r.Id).SetUnlessNull("owner", r => r.Owner);
        await WriteAsync(table, ("a", "x"), ("A", "y"));
        await WriteAsync(table, ("a", null), ("A", "z"));
        Assert.Equal(["A|z", "a|x"], await QueryAsync($"SELECT id, owner FROM {Table} ORDER BY id"));
    }

    [SqlServerFact]
    public async Task Transactions_that_share_rows_lose_no_change()
    {
        const int Lanes = 4;
        const int Rounds = 40;
        var counts = new MergeTable<string>().Key("id", id => id).Add("count", _ => 1L);
        await ExecuteAsync($"CREATE TABLE {Table} (id {KeyType} PRIMARY KEY, count bigint)");
        var ids = Enumerable.Range(0, 40).Select(i => $"id {i}").ToArray();
        await Task.WhenAll(Enumerable.Range(0, Lanes).Select(_ => Task.Run(async () =>
        {
            await using var connection = new SqlConnection(_database!.ConnectionString);
            await connection.OpenAsync();
            for (var i = 0; i < Rounds; i++)
            {
                await using var transaction = await connection.BeginTransactionAsync();
                await counts.WriteAsync(Batch(transaction), Table, ids, default);
                await transaction.CommitAsync();
            }
        })));
        Assert.Equal([$"{ids.Length}|{Lanes * Rounds}"], await QueryAsync($"SELECT COUNT(*), MIN(count) FROM {Table}"));
    }

    protected override async Task<DbConnection> OpenAsync()
    {
        _database = await SqlServerReadModel.CreateAsync();
        var connection = new SqlConnection(_database.ConnectionString);
        await connection.OpenAsync();
        return connection;
    }

    protected override Task CloseAsync() => _database!.DropAsync();
}
