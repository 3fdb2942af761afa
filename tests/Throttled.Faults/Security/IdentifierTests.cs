using System.Globalization;
using Throttled.Journal.Database;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Journal.Sqlite;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Security;

/// <summary>Names from the configuration are always quoted as names.</summary>
[Collection(SecurityCollection.Name)]
public sealed class IdentifierTests(PostgreSqlHost postgreSql, SqliteHost sqlite, ITestOutputHelper output)
{
    // Replays one seed, as in the simulations.
    private static readonly int? Only =
        int.TryParse(Environment.GetEnvironmentVariable("THROTTLED_SEED"), CultureInfo.InvariantCulture, out var seed) ? seed : null;

    private const string Tag = "blue [x]";

    [PostgreSqlTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public Task Names_stay_within_their_quotes_on_PostgreSQL(TagMode tags) => ForEachSeedAsync(postgreSql, tags, 2);

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public Task Names_stay_within_their_quotes_on_SQLite(TagMode tags) => ForEachSeedAsync(sqlite, tags, 4);

    [PostgreSqlTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    [Trait("Category", "Long")]
    public Task Very_many_names_stay_within_their_quotes_on_PostgreSQL(TagMode tags) => ForEachSeedAsync(postgreSql, tags, LongShare.Of(300));

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    [Trait("Category", "Long")]
    public Task Very_many_names_stay_within_their_quotes_on_SQLite(TagMode tags) => ForEachSeedAsync(sqlite, tags, LongShare.Of(1_000));

    [PostgreSqlTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Tables_may_have_the_names_of_aliases_on_PostgreSQL(TagMode tags)
    {
        foreach (var name in (string[])["r", "ids"])
            await CheckAsync(postgreSql, Called(name, tags));
    }

    [Theory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Tables_may_have_the_names_of_aliases_on_SQLite(TagMode tags)
    {
        foreach (var name in (string[])["Persistence_IDs", "journal_row"])
            await CheckAsync(sqlite, Called(name, tags));
    }

    [Fact]
    public void Invalid_names_are_refused_at_the_start()
    {
        AssertRefused("", "it must be a name");
        AssertRefused("a\0b", "it must be a name");
        AssertRefused("\ud835", "half of a surrogate pair");
        AssertRefused("a\udcb3\ud835", "half of a surrogate pair");
    }

    [Fact]
    public void A_name_that_PostgreSQL_would_cut_is_refused_with_the_cut_name()
    {
        var kept = new string('x', 61) + "é";
        foreach (var tables in With(kept + "é"))
        {
            var error = Assert.Throws<ArgumentException>(() => PostgreSqlJournal.OpenReader("Host=a", new() { Tables = tables.Tables }));
            Assert.Equal(
                $"'{tables.Setting}' is \"{kept}é\", which has 65 bytes in UTF-8; PostgreSQL cuts a name at 63 bytes. Write it as the database has it: \"{kept}\".",
                error.Message);
            Assert.Throws<ArgumentException>(() => PostgreSqlJournal.OpenAppender("Host=a", tables.Tables));
        }
    }

    [PostgreSqlFact]
    public async Task Names_of_the_maximum_length_work_with_order_evidence_and_index()
    {
        static string Long(char each) => new(each, 63);
        var tables = JournalTables.Default with
        {
            Schema = Long('s'), JournalTable = Long('j'), OrderingColumn = Long('o'), TagTable = Long('t'), TagColumn = Long('c'),
        };
        await CheckAsync(postgreSql, tables);
        await using var journal = (PostgreSqlJournalUnderTest)await postgreSql.NewJournalAsync(tables);
        await using var database = PostgreSqlJournal.OpenDatabase(journal.ReaderConnectionString, new() { Tables = tables });
        var result = await database.ProbeAsync(default);
        Assert.Null(result.Warning);
        Assert.Null(result.TagWarning);
        Assert.NotNull((await database.ReadStartAsync(default)).OpenTransactions);
    }

    [PostgreSqlTheory]
    [InlineData("tags\"; DROP TABLE journal; --")]
    [InlineData("ttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt")]
    public async Task The_logged_statement_creates_the_index(string tagTable)
    {
        var tables = JournalTables.Default with { TagTable = tagTable, TagColumn = "\"t\"", TagOrderingColumn = "o;" };
        await using var journal = (PostgreSqlJournalUnderTest)await postgreSql.NewJournalAsync(tables);
        await using var database = PostgreSqlJournal.OpenDatabase(journal.ReaderConnectionString, new() { Tables = tables });
        await journal.ExecuteAsync("DO $$ BEGIN EXECUTE (SELECT format('DROP INDEX %I', relname) FROM pg_class WHERE relname LIKE '%tag_ordering_idx'); END $$");
        var warning = (await database.ProbeAsync(default)).TagWarning;
        Assert.NotNull(warning);
        var sql = warning[warning.IndexOf("CREATE INDEX", StringComparison.Ordinal)..];
        sql = sql[..(sql.LastIndexOf(')') + 1)];
        await journal.ExecuteAsync(sql);
        Assert.Null((await database.ProbeAsync(default)).TagWarning);
    }

    [PostgreSqlFact]
    public async Task A_table_with_any_name_notifies_its_reader()
    {
        var tables = JournalTables.Default with { JournalTable = "my \"journal\"; 'x' \\ 漢" };
        await using var journal = (PostgreSqlJournalUnderTest)await postgreSql.NewJournalAsync(tables);
        await journal.ExecuteAsync(
            $"""
            CREATE FUNCTION notify_reader() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('throttled_journal', TG_TABLE_NAME); RETURN NULL; END $$;
            CREATE TRIGGER notify_reader AFTER INSERT ON {journal.Table} FOR EACH STATEMENT EXECUTE FUNCTION notify_reader()
            """);
        await using var database = PostgreSqlJournal.OpenDatabase(journal.ReaderConnectionString, new() { Tables = tables, Notify = true });
        using var stop = new CancellationTokenSource();
        var woken = new TaskCompletionSource();
        var listening = database.ListenAsync(() => woken.TrySetResult(), stop.Token);
        await Wait.UntilAsync(
            async () =>
            {
                await using var owner = await journal.ConnectAsync();
                return await owner.ScalarAsync<long>("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND state = 'idle' AND datname = current_database()") > 0;
            },
            () => "a session that listens");
        await journal.AppendAsync("a", 1, 1);
        await woken.Task.WithinAsync("the notification");
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => listening);
    }

    private static void AssertRefused(string name, string message)
    {
        foreach (var tables in With(name))
        {
            Func<object>[] opens =
            [
                () => PostgreSqlJournal.OpenReader("Host=a", new() { Tables = tables.Tables }),
                () => PostgreSqlJournal.OpenAppender("Host=a", tables.Tables),
                () => SqliteJournal.OpenReader("Data Source=a", new() { Tables = tables.Tables }),
                () => SqliteJournal.OpenAppender("Data Source=a", tables.Tables),
            ];
            foreach (var open in opens)
            {
                var error = Assert.Throws<ArgumentException>(open);
                Assert.StartsWith($"'{tables.Setting}' is ", error.Message, StringComparison.Ordinal);
                Assert.Contains(message, error.Message, StringComparison.Ordinal);
            }
        }
    }

    private static JournalTables Called(string name, TagMode tags) => tags == TagMode.Csv
        ? JournalTables.Default with { JournalTable = name, TagMode = tags, OrderingColumn = "o", PersistenceIdColumn = "id", SequenceNumberColumn = "n" }
        : JournalTables.Default with { TagTable = name, TagOrderingColumn = "i", TagColumn = "o", PersistenceIdColumn = "id", JournalTable = $"{name}2" };

    private static IEnumerable<(string Setting, JournalTables Tables)> With(string name)
    {
        yield return (nameof(JournalTables.Schema), JournalTables.Default with { Schema = name });
        yield return (nameof(JournalTables.JournalTable), JournalTables.Default with { JournalTable = name });
        yield return (nameof(JournalTables.OrderingColumn), JournalTables.Default with { OrderingColumn = name });
        yield return (nameof(JournalTables.WriterUuidColumn), JournalTables.Default with { WriterUuidColumn = name });
        yield return (nameof(JournalTables.TagTable), JournalTables.Default with { TagTable = name });
        yield return (nameof(JournalTables.TagColumn), JournalTables.Default with { TagColumn = name });
    }

    private async Task ForEachSeedAsync(IJournalHost host, TagMode tags, int count)
    {
        foreach (var seed in Only is { } only ? [only] : Enumerable.Range(1, count))
        {
            var tables = NastyNames.Of(new Random(seed), tags);
            try
            {
                await CheckAsync(host, tables);
            }
            catch (Exception)
            {
                output.WriteLine($"Seed {seed} (replay: THROTTLED_SEED={seed}): {tables}");
                throw;
            }
        }
    }

    private static async Task CheckAsync(IJournalHost host, JournalTables tables)
    {
        await using var journal = await host.NewJournalAsync(tables);
        await journal.ExecuteAsync("CREATE TABLE sentinel (id INTEGER); INSERT INTO sentinel VALUES (42)");
        JournalEvent[] events = [.. Enumerable.Range(1, 6).Select(i => TestEvents.One(i % 2 == 0 ? "even" : "odd", (i + 1) / 2).With(i % 3 == 0 ? [Tag] : []))];
        await journal.AppendAsync(events[..4]);
        await using var reader = journal.OpenReader(new() { RefreshInterval = TimeSpan.FromMilliseconds(10) });
        await using var live = LiveReading.Of(reader.AllEvents());
        await using var tagged = LiveReading.Of(reader.EventsByTag(Tag));
        await live.UntilAsync(4);
        await tagged.UntilAsync(1);
        await journal.AppendAsync(events[4..]);

        (await live.UntilAsync(6)).AreExactly(events.Texts());
        (await tagged.UntilAsync(2)).AreExactly([TestEvents.TextOf(events[2]), TestEvents.TextOf(events[5])]);
        Assert.All(await tagged.UntilAsync(2), each => Assert.Equal([Tag], each.Tags));
        (await reader.CurrentAllEvents().AllAsync()).AreExactly(events.Texts());
        (await reader.CurrentEventsByTag(Tag).AllAsync()).AreExactly([TestEvents.TextOf(events[2]), TestEvents.TextOf(events[5])]);
        (await reader.CurrentEventsBySlices(0, 1023).AllAsync()).AreExactly(events.Texts());
        (await reader.CurrentEventsByPersistenceId("odd").AllAsync()).AreExactly(["odd/1", "odd/2", "odd/3"]);
        Assert.Equal(["even", "odd"], (await reader.CurrentPersistenceIds().AllAsync()).Order());
        await using var connection = await journal.ConnectAsync();
        Assert.Equal(42, Convert.ToInt64(await connection.ScalarAsync<object>("SELECT min(id) FROM sentinel"), CultureInfo.InvariantCulture));
    }
}
