using Npgsql;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>The sequence that orderings are drawn from. Its locks are the evidence.</summary>
public class SequenceTests
{
    private const string Insert =
        "INSERT INTO journal(deleted, persistence_id, sequence_number, created, message) VALUES (false, 'late', 1, 0, '')";

    private const string Shared =
        """
        CREATE SEQUENCE shared START 100;
        CREATE SEQUENCE own OWNED BY journal.ordering;
        ALTER TABLE journal ALTER ordering DROP IDENTITY;
        """;

    [PostgreSqlFact]
    public async Task The_default_of_the_column_decides_and_not_its_owned_sequence()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync($"{Shared} ALTER TABLE journal ALTER ordering SET DEFAULT nextval('shared')");
        await using var writer = await journal.Sql.OpenConnectionAsync();
        await using (var transaction = await writer.BeginTransactionAsync())
        {
            await using var insert = new NpgsqlCommand(Insert, writer, transaction);
            await insert.ExecuteNonQueryAsync();
            Assert.Single((await journal.Database.ReadStartAsync(default)).OpenTransactions!);
        }
        Assert.Empty((await journal.Database.ReadStartAsync(default)).OpenTransactions!);
    }

    [PostgreSqlFact]
    public async Task Events_with_tags_are_numbered_from_the_sequence_whose_locks_are_read()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync($"{Shared} ALTER TABLE journal ALTER ordering SET DEFAULT nextval('shared')");
        await journal.AppendAsync(Event("a", 1, "red"), Event("a", 2));
        var page = Assert.Single(await journal.ReadAsync(Ask("a")))!.Value.Page!;
        Assert.Equal((100, 101), (page[0]!.Ordering, page[1]!.Ordering));
        var tagged = await journal.TaggedAsync("red");
        Assert.Equal([100], tagged);
    }

    [PostgreSqlTheory]
    [InlineData("SET DEFAULT nextval('shared'::text)")]
    [InlineData("SET DEFAULT CASE WHEN random() < 0.5 THEN nextval('shared') ELSE nextval('own') END")]
    public async Task Without_a_single_sequence_there_is_no_evidence_but_a_warning(string alter)
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync($"{Shared} ALTER TABLE journal ALTER ordering {alter}");
        Assert.Null((await journal.Database.ReadStartAsync(default)).OpenTransactions);
        Assert.Contains("is not drawn from a sequence", (await journal.Database.ProbeAsync(default)).Warning, StringComparison.Ordinal);
    }

    [PostgreSqlFact]
    public async Task A_sequence_that_gets_a_cache_ends_the_ordered_queries_of_an_open_reader()
    {
        await using var journal = await CreateAsync();
        await using var reader = PostgreSqlJournal.OpenReader(journal.ConnectionString, new() { GapTimeout = TimeSpan.FromSeconds(1) });
        await using var reading = LiveReading.Of(reader.AllEvents());
        await journal.AppendAsync("a", 1);
        await reading.UntilAsync(1);
        await journal.ExecuteAsync("ALTER SEQUENCE journal_ordering_seq CACHE 20");
        await using var first = await journal.Sql.OpenConnectionAsync();
        await using var second = await journal.Sql.OpenConnectionAsync();
        // 2, which takes up to 21; 22; and 3, which is not locked.
        await InsertAsync(first, 1);
        await InsertAsync(second, 2);
        var error = await Assert.ThrowsAsync<JournalException>(() => reading.Ended.WithinAsync("the end of the query"));
        Assert.Contains("CACHE 20", error.Message, StringComparison.Ordinal);
        await InsertAsync(first, 3);
        await Assert.ThrowsAsync<JournalException>(() => LiveReading.Of(reader.AllEvents()).Ended.WithinAsync("a refusal"));
    }

    private static async Task InsertAsync(NpgsqlConnection connection, int number)
    {
        await using var insert = new NpgsqlCommand(Insert.Replace("'late', 1", $"'late', {number}", StringComparison.Ordinal), connection);
        await insert.ExecuteNonQueryAsync();
    }

    [PostgreSqlFact]
    public async Task A_sequence_with_a_larger_increment_is_warned_about()
    {
        await using var journal = await CreateAsync();
        await journal.ExecuteAsync("ALTER TABLE journal ALTER ordering SET INCREMENT 10");
        Assert.Contains("has INCREMENT 10", (await journal.Database.ProbeAsync(default)).Warning, StringComparison.Ordinal);
    }
}
