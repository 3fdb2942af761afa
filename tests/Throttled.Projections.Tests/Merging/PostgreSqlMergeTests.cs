using System.Data.Common;
using Npgsql;
using Throttled.Projections.Databases;
using Xunit.Abstractions;

namespace Throttled.Projections.Tests.Merging;

[Collection(MergeCollection.Name)]
public sealed class PostgreSqlMergeTests(MergeServer server, ITestOutputHelper output) : MergeContract(output)
{
    private static readonly MergeTable<string> Counts = new MergeTable<string>().Key("id", id => id).Add("count", _ => 1L);

    internal override ReadModelDialect Dialect { get; } = new PostgreSqlReadModelDialect();

    protected override string Schema => "public";

    protected override string DecimalType => "numeric";

    protected override string GuidType => "uuid";

    protected override string BytesType => "bytea";

    protected override string TimeType => "timestamptz";

    [PostgreSqlFact]
    public async Task Sums_of_every_type_of_number_are_exact_in_their_own_type()
    {
        await ExecuteAsync(
            $"CREATE TABLE {Table} (id bigint PRIMARY KEY, a bigint, b integer, c smallint, d double precision, e real, f numeric)");
        var table = new MergeTable<int>().Key("id", _ => 1L)
            .Add("a", n => (long)n).Add("b", n => n).Add("c", n => (short?)n).Add("d", n => n / 4d).Add("e", n => n / 4f).Add("f", n => n / 10m);
        await WriteAsync(table, 1);
        await WriteAsync(table, 2);
        Assert.Equal(["1|3|3|3|0.75|0.75|0.3"], await QueryAsync($"SELECT * FROM {Table}"));
    }

    [PostgreSqlFact]
    public async Task A_value_can_be_cast_to_a_type_of_PostgreSql()
    {
        var mood = Table + "mood";
        await ExecuteAsync($"CREATE TYPE {mood} AS ENUM ('sad', 'glad'); CREATE TABLE {Table} (id {mood} PRIMARY KEY, doc jsonb, price numeric(6, 2))");
        var table = new MergeTable<(string Id, string? Doc)>().Key("id", r => r.Id).Set("doc", r => r.Doc).Add("price", _ => 1.239m)
            .Cast("ID", mood).Cast("doc", "jsonb").Cast("price", "numeric(6, 2)").DeleteWhen(r => r.Doc is null);
        await WriteAsync(table, ("sad", "[1,  2]"), ("glad", "{}"));
        await WriteAsync(table, ("sad", "[3]"), ("glad", null));
        Assert.Equal(["sad|[3]|2.48"], await QueryAsync($"SELECT id::text, doc, price FROM {Table}"));
    }

    [PostgreSqlFact]
    public async Task A_statement_is_prepared_once_for_a_connection()
    {
        await CreateCountsAsync();
        await WriteAsync(Counts, "a");
        await WriteAsync(Counts, "b", "a");
        Assert.Equal(["1"], await QueryAsync($"SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%{Table}\" AS existing%'"));
    }

    [PostgreSqlFact]
    public async Task Rows_are_locked_in_the_order_of_their_keys()
    {
        await CreateCountsAsync();
        await WriteAsync(Counts, "a", "b");
        await using var locker = await server.Source.OpenConnectionAsync();
        await using var transaction = await locker.BeginTransactionAsync();
        await ExecuteAsync(locker, $"SELECT * FROM {Table} WHERE id = 'a' FOR UPDATE");

        var writing = WriteAsync(Counts, "b", "a");
        await Wait.UntilAsync(() => WaitsAsync(locker), () => "the write waits for 'a'");
        await ExecuteAsync(locker, $"SELECT * FROM {Table} WHERE id = 'b' FOR UPDATE NOWAIT");
        await transaction.CommitAsync();

        await writing;
        Assert.Equal(["a|2", "b|2"], await QueryAsync($"SELECT * FROM {Table} ORDER BY id"));
    }

    [PostgreSqlFact]
    public async Task Transactions_that_share_rows_do_not_deadlock()
    {
        const int Lanes = 4;
        const int Rounds = 40;
        await CreateCountsAsync();
        var ids = Enumerable.Range(0, 40).Select(i => $"id {i}").ToArray();
        await Task.WhenAll(Enumerable.Range(0, Lanes).Select(_ => Task.Run(() => CountAsync([.. ids], Rounds))));
        Assert.Equal([$"{ids.Length}|{Lanes * Rounds}"], await QueryAsync($"SELECT count(*), min(count) FROM {Table}"));
    }

    protected override async Task<DbConnection> OpenAsync() => await server.Source.OpenConnectionAsync();

    private Task CreateCountsAsync() => ExecuteAsync($"CREATE TABLE {Table} (id text PRIMARY KEY, count bigint)");

    private async Task CountAsync(string[] ids, int rounds)
    {
        await using var connection = await server.Source.OpenConnectionAsync();
        for (var i = 0; i < rounds; i++)
        {
            Random.Shared.Shuffle(ids);
            await using var transaction = await connection.BeginTransactionAsync();
            await Counts.WriteAsync(Batch(transaction), Table, ids, default);
            await transaction.CommitAsync();
        }
    }

    private static async Task<bool> WaitsAsync(NpgsqlConnection locker)
    {
        await using var command = new NpgsqlCommand(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))", locker);
        return (long)(await command.ExecuteScalarAsync())! > 0;
    }

    private static async Task ExecuteAsync(NpgsqlConnection connection, string text)
    {
        await using var command = new NpgsqlCommand(text, connection);
        await command.ExecuteNonQueryAsync();
    }
}
