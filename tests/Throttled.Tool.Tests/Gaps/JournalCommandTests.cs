using System.Text.Json;
using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Testing;
using Throttled.Tool.Gaps;

namespace Throttled.Tool.Tests.Gaps;

/// <summary>The command, on real databases.</summary>
public sealed class JournalCommandTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-gaps-");

    private string File => Path.Combine(_directory.FullName, "journal.db");

    public void Dispose() => _directory.Delete(recursive: true);

    [Theory]
    [InlineData(1, 5, new long[] { 1, 2, 3, 4, 5 }, "")]
    [InlineData(1, 5, new long[] { 2, 5, 6 }, "1-1 3-4")]
    [InlineData(3, 6, new long[] { 3, 4 }, "5-6")]
    [InlineData(1, 0, new long[0], "")]
    public void Gaps_are_the_missing_orderings_up_to_the_end(long from, long end, long[] orderings, string gaps) =>
        Assert.Equal(gaps, string.Join(' ', JournalView.Of(from, end, orderings, []).Gaps.Select(gap => $"{gap.First}-{gap.Last}")));

    [Fact]
    public void A_database_that_does_not_report_transactions_has_no_known_high_water_mark()
    {
        var view = JournalView.Of(1, 3, [1, 3], null);
        Assert.Null(view.HighWaterMark);
        Assert.Equal(
            ["journal end      3", "high-water mark  not known: this database does not report its open transactions", "gaps             1 missing from ordering 1: 2. They may still be filled"],
            JournalCommand.Lines(view));
    }

    [Theory]
    [InlineData("journal --connection Datasource=a", "--database is missing; it must be sqlite, postgres or sqlserver.")]
    [InlineData("journal --database sqlite --connection Datasource=not-there.db", "which does not exist; it must be the journal's file.")]
    [InlineData("journal --database sqlite --connection Datasource=a --last 0", "--last is '0'; it must be a whole number from 1 to 1,000,000.")]
    [InlineData("journal --conection Datasource=a", "--connection")]
    [InlineData("jurnal", "journal")]
    public async Task What_cannot_be_used_is_refused_with_a_reason(string line, string reason)
    {
        var (code, _, errors) = await ToolOutput.OfAsync(line.Split(' '));
        Assert.Equal(2, code);
        Assert.StartsWith("error: ", errors, StringComparison.Ordinal);
        Assert.Contains(reason, errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_gap_in_a_file_can_be_filled_by_nobody()
    {
        await using (var appender = SqliteJournal.OpenAppender($"Data Source={File}"))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([Event(1), Event(2), Event(3), Event(4)]);
        }
        await using (var connection = new SqliteConnection($"Data Source={File};Pooling=False"))
        {
            await connection.OpenAsync();
            await using var command = connection.CreateCommand();
            command.CommandText = "DELETE FROM journal WHERE ordering IN (2, 3)";
            await command.ExecuteNonQueryAsync();
        }
        var (code, output, errors) = await ToolOutput.OfAsync(["journal", "--database", "sqlite", "--connection", $"Data Source={File};Mode=ReadOnly"]);
        Assert.Equal((0, ""), (code, errors));
        Assert.Equal(
            [
                "journal end      4",
                "high-water mark  4: no open transaction can commit an event at or below it",
                "gaps             2 missing from ordering 1: 2 to 3. Nothing can fill them: their events were rolled back or deleted",
            ],
            output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
    }

    [Theory]
    [InlineData("journal", "")]
    [InlineData("tail", "--all")]
    [InlineData("tail", "--all --current")]
    [InlineData("reshard copy", "")]
    public async Task A_journal_table_that_is_not_there_is_refused_with_the_ones_that_are(string command, string options)
    {
        await using (var appender = SqliteJournal.OpenAppender($"Data Source={File}"))
            await appender.CreateAsync();
        string[] place = command == "reshard copy" ? ["--from", $"Data Source={File}", "--to", $"Data Source={File}.new"] : ["--connection", $"Data Source={File}"];
        string[] line = [.. command.Split(' '), "--database", "sqlite", .. place, "--journal-table", "nope", .. options.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
        var (code, _, errors) = await ToolOutput.OfAsync(line);
        Assert.True(code == 2, errors);
        Assert.Contains("nope", errors, StringComparison.Ordinal);
        Assert.Contains("The database has the journal table 'journal': correct --journal-table and --layout.", errors, StringComparison.Ordinal);

        await using (var connection = new SqliteConnection($"Data Source={File};Pooling=False"))
        {
            await connection.OpenAsync();
            await using var rename = connection.CreateCommand();
            rename.CommandText = "ALTER TABLE journal RENAME TO events";
            await rename.ExecuteNonQueryAsync();
        }
        Assert.Contains("The database has no journal table under a known name (journal, event_journal, EventJournal).", (await ToolOutput.OfAsync(line)).Errors, StringComparison.Ordinal);
    }

    [PostgreSqlFact]
    public async Task A_gap_on_a_server_is_shown_with_its_transaction_until_that_ends()
    {
        using var server = PostgreSqlServer.Start();
        var owner = server.CreateDatabase();
        await using var appender = PostgreSqlJournal.OpenAppender(owner);
        await appender.CreateAsync();
        await appender.AppendAsync([Event(1)]);
        await using var writer = new NpgsqlConnection(new NpgsqlConnectionStringBuilder(owner) { ApplicationName = "night batch" }.ConnectionString);
        await writer.OpenAsync();
        await using var transaction = await writer.BeginTransactionAsync();
        await using (var command = new NpgsqlCommand("SELECT nextval('journal_ordering_seq')", writer, transaction))
            await command.ExecuteScalarAsync();
        await appender.AppendAsync([Event(2)]);

        string[] line = ["journal", "--database", "postgres", "--connection", owner];
        var (code, output, errors) = await ToolOutput.OfAsync(line);
        Assert.True((code, errors) == (0, ""), errors);
        Assert.Contains("journal end      3", output, StringComparison.Ordinal);
        Assert.Contains("not known: a reader that starts now waits for 1 open transaction", output, StringComparison.Ordinal);
        Assert.Contains("1 missing from ordering 1: 2. The transactions below may still fill them", output, StringComparison.Ordinal);
        Assert.Matches(@"held by          open for \d+ s by user '\w+' \(pid \d+, 'night batch', idle in transaction\): SELECT nextval\('journal_ordering_seq'\)", output);
        using (var json = JsonDocument.Parse((await ToolOutput.OfAsync([.. line, "--json"])).Output))
        {
            Assert.Equal(JsonValueKind.Null, json.RootElement.GetProperty("highWaterMark").ValueKind);
            Assert.Equal(2, json.RootElement.GetProperty("gaps")[0].GetProperty("first").GetInt64());
            Assert.Single(json.RootElement.GetProperty("openTransactions").EnumerateArray());
        }

        Assert.Contains(
            "The database has the journal table 'journal': correct --journal-table and --layout. Run 'throttled doctor'.",
            (await ToolOutput.OfAsync([.. line, "--journal-table", "nope"])).Errors, StringComparison.Ordinal);
        Assert.Contains(
            "The database has no journal table under a known name",
            (await ToolOutput.OfAsync([.. line, "--journal-table", "nope", "--schema", "pg_catalog"])).Errors, StringComparison.Ordinal);

        await transaction.RollbackAsync();
        var after = (await ToolOutput.OfAsync(line)).Output;
        Assert.Contains("high-water mark  3: no open transaction can commit an event at or below it", after, StringComparison.Ordinal);
        Assert.Contains("Nothing can fill them", after, StringComparison.Ordinal);
        Assert.DoesNotContain("held by", after, StringComparison.Ordinal);
    }

    private static JournalEvent Event(long number) => new() { PersistenceId = "a", SequenceNumber = number, SerializerId = 4, Payload = "x"u8.ToArray() };
}
