using System.Data.Common;
using System.Text.Json;
using Throttled.Projections.Tests.Store;
using Xunit.Abstractions;

namespace Throttled.Projections.Tests.Handlers;

/// <summary>The rows of an entity handler, compared with a dictionary after each transaction.</summary>
public sealed class EntityModelTests(ITestOutputHelper output)
{
    private const int Events = 400;

    private static readonly string[] Ids = ["a", "A", "b ", "ü/\"x", "c", "d"];

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task Batches_of_any_size_rolled_back_and_repeated_at_random_leave_the_rows_of_events_applied_one_by_one(string database) =>
        CompareAsync(database, new(), "state");

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public Task The_same_is_true_of_states_in_columns_alone(string database) => CompareAsync(database, new(Counter.Columns), "null");

    private async Task CompareAsync(string database, Counters handler, string json)
    {
        var seed = Environment.TickCount;
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.Store.CreateVersionAsync(TestReadModel.Row(lanes: 1), SliceRange.All, handler.PrepareAsync, null, default);
        var history = History(random);
        Dictionary<string, (long Number, Counter State)> model = [];
        for (var next = 0; next < history.Count;)
        {
            // Now and then some events come again, as after a reset to an ordering.
            var from = random.Next(6) == 0 ? Math.Max(0, next - random.Next(40)) : next;
            var to = Math.Min(history.Count, next + random.Next(0, 30));
            var batch = history[from..Math.Max(to, Math.Min(from + 1, history.Count))];
            if (!await WriteAsync(readModel, handler, batch, isCommitted: random.Next(4) != 0))
                continue;
            foreach (var each in batch)
                Apply(model, each);
            next = Math.Max(next, from + batch.Count);
            Assert.Equal(Expected(model), await RowsAsync(readModel, json));
        }
        Assert.NotEmpty(model);
    }

    private static List<ProjectionEvent> History(Random random)
    {
        var numbers = Ids.ToDictionary(id => id, _ => 0L);
        return [.. Enumerable.Range(1, Events).Select(ordering =>
        {
            var id = Ids[random.Next(Ids.Length)];
            // A number that was deleted or discarded is missing.
            numbers[id] += random.Next(8) == 0 ? 2 : 1;
            return new ProjectionEvent(new() { PersistenceId = id, SequenceNumber = numbers[id], Ordering = ordering, Payload = default }, random.Next(-1, 6));
        })];
    }

    private static async Task<bool> WriteAsync(TestReadModel readModel, Counters handler, IReadOnlyList<ProjectionEvent> events, bool isCommitted)
    {
        await using var connection = await readModel.ReadModel.Source.OpenConnectionAsync();
        await using var transaction = await connection.BeginTransactionAsync();
        await handler.WriteEffectsAsync(new("accounts", events, transaction, readModel.ReadModel.Dialect), default);
        if (isCommitted)
            await transaction.CommitAsync();
        return isCommitted;
    }

    private static void Apply(Dictionary<string, (long Number, Counter State)> model, ProjectionEvent applied)
    {
        var id = applied.PersistenceId;
        var known = model.TryGetValue(id, out var row);
        if (known && applied.SequenceNumber <= row.Number)
            return;
        if (Counter.Apply(known ? row.State : null, (int)applied.Payload) is { } state)
            model[id] = (applied.SequenceNumber, state);
        else
            model.Remove(id);
    }

    private static IEnumerable<string> Expected(Dictionary<string, (long Number, Counter State)> model) =>
        model.OrderBy(row => row.Key, StringComparer.Ordinal).Select(row => $"{row.Key}|{row.Value.Number}|{row.Value.State}|{row.Value.State.Sum}|{row.Value.State.Numbers}");

    private static async Task<IEnumerable<string>> RowsAsync(TestReadModel readModel, string json)
    {
        await using var command = readModel.ReadModel.Source.CreateCommand($"SELECT persistence_id, sequence_number, {json}, sum, numbers FROM accounts");
        await using var row = await command.ExecuteReaderAsync();
        List<(string Id, string Text)> rows = [];
        while (await row.ReadAsync())
            rows.Add((row.GetString(0), Text(row)));
        return rows.OrderBy(each => each.Id, StringComparer.Ordinal).Select(each => each.Text);
    }

    private static string Text(DbDataReader row) =>
        $"{row.GetString(0)}|{row.GetInt64(1)}|{(row.IsDBNull(2) ? new(row.GetInt64(3), row.GetString(4)) : JsonSerializer.Deserialize<Counter>(row.GetString(2)))}|{row.GetInt64(3)}|{row.GetString(4)}";
}
