using System.Data.Common;
using Microsoft.Data.Sqlite;
using Throttled.Projections.Databases;
using Xunit.Abstractions;

namespace Throttled.Projections.Tests.Merging;

public sealed class SqliteMergeTests(ITestOutputHelper output) : MergeContract(output)
{
    internal override ReadModelDialect Dialect { get; } = new SqliteReadModelDialect();

    protected override string Schema => "main";

    protected override string DecimalType => "text";

    protected override string GuidType => "text";

    protected override string BytesType => "blob";

    protected override string TimeType => "text";

    [Theory]
    [InlineData("Add")]
    [InlineData("Max")]
    [InlineData("Min")]
    public async Task A_decimal_is_neither_added_nor_compared(string rule)
    {
        var keyed = new MergeTable<decimal>().Key("id", _ => 1L);
        var table = rule switch { "Add" => keyed.Add("total", d => d), "Max" => keyed.Max("total", d => d), _ => keyed.Min("total", d => d) };
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => WriteAsync(table, 1.5m));
        Assert.Equal(
            $"The column 'total' is a decimal with {rule}; SQLite has no exact decimals. Give a long in the smallest unit, such as cents, or a double.",
            error.Message);
    }

    [Fact]
    public async Task A_type_of_PostgreSql_is_ignored()
    {
        await ExecuteAsync($"CREATE TABLE {Table} (id bigint PRIMARY KEY, doc text)");
        await WriteAsync(new MergeTable<string>().Key("id", _ => 1L).Set("doc", d => d).Cast("doc", "jsonb"), "{ }");
        Assert.Equal(["1|{ }"], await QueryAsync($"SELECT * FROM {Table}"));
    }

    protected override async Task<DbConnection> OpenAsync()
    {
        var connection = new SqliteConnection("Data Source=:memory:");
        await connection.OpenAsync();
        return connection;
    }
}
