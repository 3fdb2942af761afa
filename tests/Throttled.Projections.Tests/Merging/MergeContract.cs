using System.Data.Common;
using Throttled.Projections.Databases;
using Xunit.Abstractions;

namespace Throttled.Projections.Tests.Merging;

/// <summary>The behaviour of merging on every database.</summary>
public abstract partial class MergeContract(ITestOutputHelper output) : IAsyncLifetime
{
    private static readonly MergeTable<Change> Changes = new MergeTable<Change>()
        .Key("id", c => c.Id)
        .SetUnlessNull("owner", c => c.Owner)
        .Set("note", c => c.Note)
        .Add("balance", c => c.Delta)
        .Max("seen", c => c.Seen)
        .Min("born", c => c.Born)
        .DeleteWhen(c => c.IsDeleted)
        .ReplaceWhen(c => c.IsReplaced);

    // Each test has its own table, because the tests share a database.
    private readonly string _table = $"t{Guid.NewGuid():N}";

    private DbConnection _connection = null!;

    internal abstract ReadModelDialect Dialect { get; }

    protected string Table => _table;

    public async Task InitializeAsync() => _connection = await OpenAsync();

    public async Task DisposeAsync()
    {
        await _connection.DisposeAsync();
        await CloseAsync();
    }

    [ContractFact]
    public async Task A_row_is_inserted_and_then_merged_column_by_column()
    {
        await CreateAsync();
        await WriteAsync(Changes, new Change("a", "Ann", "first", 5, 10, 10));
        await WriteAsync(Changes, new Change("a", null, null, 7, 3, 3));
        Assert.Equal(["a|Ann||12|10|3"], await RowsAsync());

        await WriteAsync(Changes, new Change("a", "Bob", "third", null, 30, 30));
        Assert.Equal(["a|Bob|third|12|30|3"], await RowsAsync());
    }

    [ContractFact]
    public async Task Null_counts_as_nothing_in_sums_and_comparisons()
    {
        await CreateAsync();
        await WriteAsync(Changes, new Change("a"));
        Assert.Equal(["a|||0||"], await RowsAsync());

        await ExecuteAsync($"UPDATE {_table} SET balance = NULL");
        await WriteAsync(Changes, new Change("a", Delta: 4, Seen: 2, Born: 2));
        await WriteAsync(Changes, new Change("a"));
        Assert.Equal(["a|||4|2|2"], await RowsAsync());
    }

    [ContractFact]
    public async Task Deleted_rows_are_removed_and_replaced_rows_keep_no_old_value()
    {
        await CreateAsync();
        await WriteAsync(Changes, new("a", "Ann", "n", 1, 1, 1), new("b", "Bob", "n", 2, 2, 2), new("c", "Cid", "n", 3, 3, 3));
        await WriteAsync(
            Changes,
            new("c", Delta: 30, IsReplaced: true),
            new("a", Delta: 10, IsDeleted: true),
            new("d", "Dan", Delta: 40, IsReplaced: true),
            new("e", IsDeleted: true),
            new("b", IsDeleted: true, IsReplaced: true));
        Assert.Equal(["c|||30||", "d|Dan||40||"], await RowsAsync());
    }

    [ContractFact]
    public async Task Random_changes_leave_the_rows_that_a_dictionary_computes()
    {
        var seed = Environment.GetEnvironmentVariable("THROTTLED_SEED") is { } given ? int.Parse(given) : Random.Shared.Next();
        output.WriteLine($"Seed {seed}");
        var (random, model) = (new Random(seed), new MergeModel());
        await CreateAsync();
        for (var i = 0; i < 150; i++)
        {
            var changes = MergeModel.Draw(random);
            await WriteAsync(Changes, changes);
            model.Apply(changes);
            Assert.Equal(model.Rows(), await RowsAsync());
        }
    }

    [ContractFact]
    public async Task A_key_may_be_of_several_columns()
    {
        await ExecuteAsync($"CREATE TABLE {_table} (id {KeyType}, part integer, balance bigint, PRIMARY KEY (id, part))");
        var table = new MergeTable<(string Id, int Part, long Delta, bool Gone)>()
            .Add("balance", r => r.Delta).Key("part", r => r.Part).Key("id", r => r.Id).DeleteWhen(r => r.Gone);
        await WriteAsync(table, ("a", 1, 1, false), ("b", 1, 2, false), ("a", 2, 3, false));
        await WriteAsync(table, ("b", 1, 0, true), ("a", 2, 30, false));
        Assert.Equal(["a|1|1", "a|2|33"], await QueryAsync($"SELECT id, part, balance FROM {_table} ORDER BY id, part"));
    }

    [ContractFact]
    public async Task A_table_with_only_keys_keeps_its_rows()
    {
        await ExecuteAsync($"CREATE TABLE {_table} (id {KeyType} PRIMARY KEY, note {TextType} DEFAULT 'kept')");
        var table = new MergeTable<string>().Key("id", id => id);
        await WriteAsync(table, "b", "a");
        await WriteAsync(table, "c", "a");
        Assert.Equal(["a|kept", "b|kept", "c|kept"], await QueryAsync($"SELECT id, note FROM {_table} ORDER BY id"));
    }

    [ContractFact]
    public async Task Without_rows_no_statement_is_run()
    {
        await WriteAsync(Changes);
        await CreateAsync();
        Assert.Empty(await RowsAsync());
    }

    [ContractFact]
    public async Task Names_and_values_cannot_leave_their_quotes()
    {
        const string Nasty = "a\"; DROP TABLE x; -- '$1 @p ? é漢.b";
        var name = _table[..20] + Nasty;
        await ExecuteAsync($"CREATE TABLE {Quote(name)} ({Quote(Nasty)} {KeyType} PRIMARY KEY, {Quote("$c0" + Nasty)} {TextType}, {Quote("excluded")} bigint)");
        var table = new MergeTable<(string Id, string Text)>().Schema(Schema)
            .Key(Nasty, r => r.Id).Set("$c0" + Nasty, r => r.Text).Add("excluded", _ => 1).DeleteWhen(r => r.Text == "gone");
        string[] values = ["'; DROP TABLE x; --", "\"{a,NULL}\\", "", "NULL", "$1"];
        for (var i = 0; i < 2; i++)
            await WriteToAsync(name, table, [.. values.Select(value => (value, value)), ("gone", "gone")]);
        Assert.Equal(
            values.Select(value => $"{value}|{value}|2").Order(StringComparer.Ordinal),
            (await QueryAsync($"SELECT * FROM {Quote(name)}")).Order(StringComparer.Ordinal));
    }

    [ContractFact]
    public async Task Two_rows_of_one_key_are_refused()
    {
        await CreateAsync();
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => WriteAsync(Changes, new("a"), new("b"), new("a")));
        Assert.Equal("Two rows have the key id = 'a'; a row can be written once in a call. Fold the changes to one for each key first.", error.Message);
        Assert.Empty(await RowsAsync());
    }

    [ContractFact]
    public async Task A_key_without_a_value_is_refused()
    {
        await CreateAsync();
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => WriteAsync(Changes, new("a"), new(null!)));
        Assert.Equal("The key 'id' of a row is null; a key is never null. Leave the row out, or give its key.", error.Message);
    }

    [ContractFact]
    public async Task A_table_without_a_key_is_refused()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(
            () => WriteToAsync("accounts", new MergeTable<long>().Set("a", value => value), [1L]));
        Assert.Equal("The description of the table 'accounts' has no key column; call Key for each column of its primary key.", error.Message);
    }

    [ContractFact]
    public async Task A_write_can_be_cancelled()
    {
        await CreateAsync();
        await using var transaction = await _connection.BeginTransactionAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => Changes.WriteAsync(Batch(transaction), _table, [new("a")], new CancellationToken(canceled: true)));
    }
}
