using System.Data;
using System.Text.Json;
using Throttled.Projections;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Journal.SqlServer.Tests.ReadModels;

/// <summary>What a read model sends to SQL Server, in which order, and with which parameters.</summary>
public sealed class ReadModelSessionTests : IDisposable
{
    private readonly RecordingSource _source = new(touched: 1);

    public void Dispose() => _source.Dispose();

    [Fact]
    public async Task A_reading_transaction_sets_the_level_of_its_session_before_it_and_resets_it_after_it()
    {
        await Assert.ThrowsAsync<FencedException>(() => new ProjectionStore(ReadModel).ReadLaneAsync("accounts", SliceRange.All, default));

        Assert.Equal([IsolationLevel.Unspecified], _source.Levels);
        Assert.Equal(3, _source.Commands.Count);
        Assert.Contains("SET TRANSACTION ISOLATION LEVEL SNAPSHOT ELSE SET", _source.Commands[0].Text, StringComparison.Ordinal);
        Assert.Equal("SET TRANSACTION ISOLATION LEVEL READ COMMITTED", _source.Commands[2].Text);
        // A command with parameters is a procedure, and what it sets would end with it.
        Assert.All([_source.Commands[0], _source.Commands[2]], command => Assert.Empty(command.Parameters));
    }

    [Fact]
    public async Task A_lane_s_transaction_sends_only_its_statements_and_prepares_nothing()
    {
        var offset = new SliceOffset(SliceRange.All, 1, 1);
        await using (var transaction = await new ProjectionStore(ReadModel).BeginAsync("accounts", 1, default))
        {
            await transaction.MoveAsync(new([offset], [offset with { Ordering = 2 }], 1));
            await transaction.CommitAsync();
        }
        Assert.Equal([IsolationLevel.ReadCommitted], _source.Levels);
        var sent = Assert.Single(_source.Commands);
        Assert.False(sent.IsPrepared);
        // A server whose 'user options' have NOCOUNT would return -1, and the lane would be fenced.
        Assert.StartsWith("SET NOCOUNT OFF; UPDATE", sent.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_statement_whose_rows_are_counted_turns_the_count_on() => Assert.All(
        ReadModelStatements.Tables.Where(text => text.Sql.Contains('@', StringComparison.Ordinal) && !text.Sql.Contains("OUTPUT ", StringComparison.Ordinal)),
        text => Assert.True(
            text.Sql.TrimStart().StartsWith("SELECT", StringComparison.Ordinal) || text.Sql.StartsWith("SET NOCOUNT OFF; ", StringComparison.Ordinal), text.Sql));

    // Otherwise each length would be a type of its own, and a plan of its own.
    [Theory]
    [InlineData(1, 4000)]
    [InlineData(4000, 4000)]
    [InlineData(4001, -1)]
    public async Task A_text_has_one_of_two_sizes_whatever_its_length(int length, int size)
    {
        await ReadModel.WriteAsync(transaction => LaneTable.DeleteAsync(transaction, new('v', length)), default);
        Assert.Equal(("@version", new string('v', length), size), Assert.Single(Assert.Single(_source.Commands).Parameters) is var sent ? ($"@{sent.Name.TrimStart('@')}", sent.Value, sent.Size) : default);
    }

    [Fact]
    public async Task A_handler_s_bytes_have_one_of_two_sizes_and_its_times_keep_all_their_digits()
    {
        await ReadModel.WriteAsync(
            transaction => new ReadModelTransaction("accounts", transaction.ForHandler, ReadModelStatements.Dialect)
                .ExecuteAsync("SELECT @few, @many, @at", default, ("few", new byte[3]), ("many", new byte[8001]), ("at", DateTime.MinValue)),
            default);
        var parameters = Assert.Single(_source.Commands).Parameters;
        Assert.Equal([8000, -1], parameters.Take(2).Select(parameter => parameter.Size));
        // The driver's own type for a DateTime begins with the year 1753, and rounds to 3 ms.
        Assert.Equal(DbType.DateTime2, parameters[2].Type);
    }

    [Fact]
    public async Task A_statement_after_the_server_has_rolled_back_is_refused()
    {
        // The driver would run it without the transaction.
        _source.IsRolledBack = true;
        await using var transaction = await DatabaseTransaction.BeginAsync(ReadModel, default);
        var handler = new ReadModelTransaction("accounts", transaction.ForHandler, ReadModelStatements.Dialect);
        var table = new MergeTable<int>().Key("id", row => row);
        Func<Task>[] statements =
        [
            () => transaction.ExecuteAsync("SELECT 1"), () => handler.ExecuteAsync("SELECT 1", default), () => table.WriteAsync(handler, "t", [1], default),
            () => Task.FromResult(handler.Connection),
        ];
        foreach (var statement in statements)
            Assert.StartsWith("The transaction has ended.", (await Assert.ThrowsAsync<InvalidOperationException>(statement)).Message, StringComparison.Ordinal);
        Assert.Empty(_source.Commands);
    }

    [Fact]
    public async Task The_rows_of_a_call_are_merged_in_parts_so_that_no_statement_locks_the_whole_table()
    {
        var table = new MergeTable<int>().Key("id", row => row).Add("count", _ => 1).ReplaceWhen(row => row > 4000);
        await ReadModel.WriteAsync(
            transaction => table.WriteAsync(
                new ReadModelTransaction("accounts", transaction.ForHandler, ReadModelStatements.Dialect), "t", [.. Enumerable.Range(1, 4001).Reverse()], default),
            default);
        Assert.Equal([1, 2000, 2000, 1], _source.Commands.Select(command => $"{Assert.Single(command.Parameters).Value}".Count(each => each == ']') - 1));
    }

    // A write of a new key also locks the next one of the index.
    [Fact]
    public async Task Keys_are_in_the_order_of_the_server_s_index()
    {
        // https://learn.microsoft.com/dotnet/framework/data/adonet/sql/comparing-guid-and-uniqueidentifier-values
        string[] guids = ["2aaaaaaa-bbbb-cccc-dddd-1eeeeeeeeeee", "3aaaaaaa-bbbb-cccc-dddd-2eeeeeeeeeee", "1aaaaaaa-bbbb-cccc-dddd-3eeeeeeeeeee"];
        string[] texts = ["", "a\t", "a", "a ", "a  ", "a b", "ab", "b"];
        Assert.Equal(guids, await SentAsync(guids.Order(StringComparer.Ordinal).Select(Guid.Parse)));
        Assert.Equal(texts, await SentAsync(texts.Order(StringComparer.Ordinal)));
        Assert.Equal(["AQ==", "AQA=", "AQAA", "AQE="], await SentAsync(new byte[][] { [1, 1], [1, 0, 0], [1], [1, 0] }));
    }

    [Fact]
    public async Task Merged_rows_are_one_parameter_in_the_order_of_their_keys()
    {
        var table = new MergeTable<(string Id, long Cents)>().Key("id", row => row.Id).Add("cents", row => row.Cents).DeleteWhen(row => row.Cents == 0);
        await ReadModel.WriteAsync(
            transaction => table.WriteAsync(
                new ReadModelTransaction("accounts", transaction.ForHandler, ReadModelStatements.Dialect), "balances", [("c", 3), ("a", 1), ("b", 0)], default),
            default);

        Assert.Equal(["[[\"b\"]]", "[[\"a\",1],[\"c\",3]]"], _source.Commands.Select(command => Assert.Single(command.Parameters).Value));
        Assert.StartsWith("DELETE", _source.Commands[0].Text, StringComparison.Ordinal);
        Assert.All(_source.Commands, command => Assert.False(command.IsPrepared));
    }

    private async Task<IEnumerable<string>> SentAsync<TKey>(IEnumerable<TKey> keys)
    {
        var table = new MergeTable<TKey>().Key("id", key => key);
        await ReadModel.WriteAsync(
            transaction => table.WriteAsync(new ReadModelTransaction("accounts", transaction.ForHandler, ReadModelStatements.Dialect), "t", [.. keys], default), default);
        return JsonSerializer.Deserialize<string[][]>($"{_source.Commands[^1].Parameters[0].Value}")!.Select(row => row[0]);
    }

    private ReadModelDatabase ReadModel => ReadModelDatabase.SqlServer(_source);
}
