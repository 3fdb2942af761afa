using Microsoft.Data.Sqlite;
using Throttled.Journal;
using Throttled.Journal.Sqlite.Tests.Contract;
using Throttled.Testing;
using Throttled.Testing.Scripted;

namespace Throttled.Databases.Tests.Fuzzing;

/// <summary>
/// Rows that no write plugin writes: any column is NULL, of another type, huge, or invalid text. SQLite stores them all. Queries of
/// other ids get all their events. A query that reads such a row gets the readable values, or fails with an error.
/// </summary>
public sealed class RowFuzzTests
{
    private const int Each = 200;
    private const int Good = 10;

    private static readonly string[] Columns = ["deleted", "persistence_id", "sequence_number", "created", "tags", "message", "identifier", "manifest", "writer_uuid"];
    private static readonly string[] Ids = ["good-1", "good-2", "good-3", "good-4"];

    private static readonly JournalTables Tables = JournalTables.Default with { TagMode = TagMode.Csv };

    [Fact]
    public Task Rows_of_garbage_do_not_affect_other_queries() => RunAsync(2);

    [Fact]
    [Trait("Category", "Long")]
    public Task Very_many_rows_of_garbage_do_not_affect_other_queries() => RunAsync(LongShare.Of(1_000));

    private static async Task RunAsync(int journals)
    {
        for (var seed = 1; seed <= journals; seed++)
        {
            using var host = new SqliteHost();
            await using var journal = (SqliteJournalUnderTest)await host.NewJournalAsync(Tables);
            await WriteAsync(journal, new(seed));
            // A page is delivered complete or not at all, so the first page has readable rows.
            await using var reader = journal.OpenReader(new() { FatalErrorGracePeriod = TimeSpan.Zero, MaxBufferSize = Ids.Length });
            await CheckAsync(reader, seed).WithinAsync($"the queries of seed {seed}");
        }
    }

    private static async Task CheckAsync(JournalReader reader, int seed)
    {
        foreach (var id in Ids)
        {
            var numbers = (await reader.CurrentEventsByPersistenceId(id).AllAsync()).Select(each => each.SequenceNumber);
            Assert.True(numbers.SequenceEqual(Enumerable.Range(1, Good).Select(n => (long)n)), $"Seed {seed}: '{id}' lacks events.");
        }
        foreach (var query in (IAsyncEnumerable<JournalEvent>[])[reader.CurrentAllEvents(), reader.CurrentEventsByTag("red"), reader.CurrentEventsBySlices(0, 1023)])
        {
            var (last, given) = (0L, 0);
            try
            {
                await foreach (var each in query)
                {
                    Assert.True(each.Ordering > last, $"Seed {seed}: {each.Ordering} came after {last}.");
                    last = each.Ordering;
                    given++;
                }
            }
            catch (JournalException error)
            {
                Assert.NotEmpty(error.Message);
            }
            Assert.True(given >= Ids.Length, $"Seed {seed}: only {given} events came, though {Ids.Length} stand before the first that may not be readable.");
        }
    }

    // After the good rows and between them, all in one transaction.
    private static async Task WriteAsync(SqliteJournalUnderTest journal, Garbage garbage)
    {
        await using var connection = (SqliteConnection)await journal.ConnectAsync();
        await connection.RunAsync($"DROP TABLE journal; CREATE TABLE journal (ordering INTEGER PRIMARY KEY AUTOINCREMENT, {string.Join(", ", Columns)}); BEGIN");
        for (var row = 0; row < Each; row++)
        {
            if (row % (Each / Good) == 0)
            {
                foreach (var id in Ids)
                    await InsertAsync(connection, [("@v", 0L), ("@v", id), ("@v", (row / (Each / Good)) + 1L), ("@v", 0L), ("@v", ";red;"), ("@v", new byte[] { 1 }), ("@v", 4L), ("@v", ""), ("@v", null)]);
            }
            await InsertAsync(connection, [.. Columns.Select(_ => Value(garbage))]);
        }
        await connection.RunAsync("COMMIT");
    }

    private static async Task InsertAsync(SqliteConnection connection, (string Sql, object? Value)[] values)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = $"INSERT INTO journal ({string.Join(", ", Columns)}) VALUES ({string.Join(", ", values.Select((value, i) => value.Sql.Replace("@v", $"@v{i}", StringComparison.Ordinal)))})";
        for (var i = 0; i < values.Length; i++)
            command.Parameters.AddWithValue($"@v{i}", values[i].Value ?? DBNull.Value);
        await command.ExecuteNonQueryAsync();
    }

    private static (string Sql, object? Value) Value(Garbage garbage) => garbage.Random.Next(8) switch
    {
        0 or 1 => ("@v", null),
        2 => ("@v", garbage.OneOf(0L, 1L, -1L, long.MaxValue, long.MinValue)),
        3 => ("@v", garbage.OneOf(0.5, double.MaxValue, double.NegativeInfinity)),
        4 => ("@v", garbage.Text()),
        5 => ("@v", garbage.Bytes()),
        // Bytes that SQLite treats as a text.
        6 => ("CAST(@v AS TEXT)", garbage.Bytes()),
        _ => garbage.Random.Next(200) == 0 ? ("zeroblob(@v)", 1L << 20) : ("@v", $"bad-{garbage.Random.Next(5)}"),
    };
}
