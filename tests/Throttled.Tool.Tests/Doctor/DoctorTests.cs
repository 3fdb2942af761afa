using System.Text.Json;
using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Testing;

namespace Throttled.Tool.Tests.Doctor;

/// <summary>The command, on real databases: good ones, and ones that are wrong in one way.</summary>
public sealed class DoctorTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-doctor-");

    private string File => Path.Combine(_directory.FullName, "journal.db");

    public void Dispose() => _directory.Delete(recursive: true);

    [Theory]
    [InlineData("--connection Datasource=a", "--database is missing; it must be sqlite, postgres or sqlserver.")]
    [InlineData("--database sqlite", "--connection is missing; --database sqlite needs it.")]
    [InlineData("--database sqlite --connection Datasource=not-there.db", "which does not exist; it must be the journal's file.")]
    [InlineData("--database sqlite --connection Datasource=.", "which is a directory; it must be the journal's file.")]
    [InlineData("--database sqlite --connection Datasource=a --permits 3", "--permits is given, and --processes is missing; give it too, or leave --permits out.")]
    [InlineData("--database sqlite --connection Datasource=a --processes 3", "--processes is given, and --permits is missing; give it too")]
    [InlineData("--database sqlite --connection Datasource=a --processes 0", "--processes is '0'; it must be a whole number from 1 to 10,000.")]
    [InlineData("--database postgres --connection Host=127.0.0.1;Port=1;Username=a", "--connection names 127.0.0.1:1; the server cannot be reached. Start it, or correct Host and Port. Failed to connect to 127.0.0.1:1: ")]
    public async Task What_cannot_be_checked_is_refused_with_a_reason(string line, string reason)
    {
        var (code, _, errors) = await RunAsync(line.Split(' '));
        Assert.Equal(2, code);
        Assert.Contains(reason, errors, StringComparison.Ordinal);
        Assert.False(System.IO.File.Exists("not-there.db"));
    }

    [Fact]
    public async Task A_good_file_has_only_good_lines()
    {
        await using (var appender = SqliteJournal.OpenAppender($"Data Source={File}"))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([Event("a", 1, "blue"), Event("a", 2)]);
        }
        var (code, output) = await OfFileAsync();
        Assert.Equal(0, code);
        Assert.Contains("the last ordering is 2", output, StringComparison.Ordinal);
        Assert.Contains("which Akka.Persistence.Sql writes", output, StringComparison.Ordinal);
        Assert.EndsWith("No problem was found.", output.TrimEnd(), StringComparison.Ordinal);
        Assert.DoesNotContain("→", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("DROP INDEX tags_tag_ordering_idx", "", 0, "! indexes", "CREATE INDEX \"tags_tag_ordering_idx\" ON \"tags\" (\"tag\", \"ordering_id\");")]
    [InlineData("PRAGMA journal_mode = DELETE", "", 0, "! reader", "PRAGMA journal_mode = WAL")]
    [InlineData("DROP TABLE tags", "", 1, "✗ tags", "Start the write side once with auto-initialize, or name the table with --tag-table")]
    [InlineData("ALTER TABLE journal RENAME COLUMN message TO payload", "", 1, "✗ tables", "Correct 'PayloadColumn'")]
    [InlineData("ALTER TABLE journal RENAME TO events", "", 1, "✗ tables", "name the table with --journal-table")]
    [InlineData("SELECT 1", "--journal-table nope", 1, "✗ tables There is no table \"nope\" →", "The database has the journal table 'journal': correct --journal-table and --layout")]
    [InlineData("ALTER TABLE journal RENAME TO events", "--journal-table events", 0, "No problem was found.", "")]
    [InlineData("ALTER TABLE journal RENAME COLUMN ordering TO Ordering", "", 0, "No problem was found.", "")]
    [InlineData("SELECT 1", "--layout sqlite", 1, "✗ tables", "The layout 'default' fits the table \"journal\", which Akka.Persistence.Sql writes: use --layout default")]
    public async Task What_is_wrong_with_a_file_is_said_with_its_remedy(string wrong, string options, int expected, string line, string remedy)
    {
        await using (var appender = SqliteJournal.OpenAppender($"Data Source={File}"))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([Event("a", 1, "blue")]);
        }
        await OnFileAsync(wrong);
        var (code, output) = await OfFileAsync(options.Split(' ', StringSplitOptions.RemoveEmptyEntries));
        Assert.True(code == expected, output);
        Assert.Contains(line, output, StringComparison.Ordinal);
        Assert.Contains(remedy, output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("CREATE TABLE tags (id INTEGER, name TEXT); INSERT INTO tags VALUES (1, 'recipes')", 0, "✓ tags")]
    [InlineData("CREATE TABLE tags (ordering_id INTEGER, tag TEXT); INSERT INTO tags VALUES (1, 'blue')", 1, "✗ tags")]
    public async Task A_table_with_tags_counts_only_if_it_has_the_columns_of_a_tag_table(string sql, int expected, string line)
    {
        await using (var appender = SqliteJournal.OpenAppender($"Data Source={File}", JournalTables.Sqlite))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([Event("a", 1)]);
        }
        await OnFileAsync(sql);
        var (code, output) = await OfFileAsync("--layout", "sqlite");
        Assert.True(code == expected, output);
        Assert.Contains(line, output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_statements_for_the_missing_indexes_of_a_file_can_be_run()
    {
        // The tables of the default layout without their indexes.
        await OnFileAsync(
            """
            CREATE TABLE journal (ordering INTEGER, deleted INTEGER, persistence_id TEXT, sequence_number INTEGER, created INTEGER, message BLOB, identifier INTEGER, manifest TEXT);
            CREATE TABLE tags (ordering_id INTEGER, tag TEXT);
            PRAGMA journal_mode = WAL;
            """);
        var (code, output) = await OfFileAsync("--json");
        Assert.Equal(1, code);
        using var report = JsonDocument.Parse(output);
        var statements = report.RootElement.GetProperty("findings").EnumerateArray()
            .Where(finding => finding.GetProperty("subject").GetString() == "indexes").Select(finding => finding.GetProperty("remedy").GetString()!).ToList();
        Assert.Equal(3, statements.Count);
        foreach (var statement in statements)
            await OnFileAsync(statement);
        Assert.Contains("none is missing", (await OfFileAsync()).Output, StringComparison.Ordinal);
    }

    [PostgreSqlFact]
    public async Task A_server_is_checked_with_the_rights_of_the_login()
    {
        using var server = PostgreSqlServer.Start();
        var owner = server.CreateDatabase();
        await using (var appender = PostgreSqlJournal.OpenAppender(owner))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([Event("a", 1, "blue"), Event("a", 2)]);
        }
        await using var connection = new NpgsqlConnection(owner);
        await connection.OpenAsync();
        var reader = new NpgsqlConnectionStringBuilder(owner) { Username = PostgreSqlServer.Reader }.ConnectionString;

        await IsAsync(1, reader, "✗ rights", "GRANT SELECT ON \"journal\" TO \"journal_reader\";");
        await ExecuteAsync("GRANT SELECT ON journal, tags TO journal_reader");
        await IsAsync(0, reader, "! reader", "GRANT SELECT ON SEQUENCE public.journal_ordering_seq TO \"journal_reader\"");
        await IsAsync(0, reader, "! rights", "GRANT pg_read_all_stats TO \"journal_reader\";");
        await ExecuteAsync("GRANT SELECT ON SEQUENCE journal_ordering_seq TO journal_reader; GRANT pg_read_all_stats TO journal_reader");
        await IsAsync(0, reader, "No problem was found.", "the last ordering is 2");
        await IsAsync(1, reader, "✗ connections", "Set MaxConcurrentQueries (max-concurrent-queries) to at most", "--processes", "5", "--permits", "200");
        await IsAsync(1, reader, "✗ tables", "The layout 'default' fits the table", "--layout", "postgresql");
        await ExecuteAsync("ALTER ROLE journal_reader CONNECTION LIMIT 12");
        await IsAsync(0, reader, "! reader A reader runs up to 44 statements at once, but the CONNECTION LIMIT of the role 'journal_reader' is 12", "to at most 10, and less if writers use this login; or run ALTER ROLE \"journal_reader\" CONNECTION LIMIT 46");
        await ExecuteAsync($"ALTER DATABASE \"{connection.Database}\" CONNECTION LIMIT 11");
        await IsAsync(1, reader, "✗ connections 11 connections for this login (CONNECTION LIMIT of the database", "! reader A reader runs up to 7 statements at once, but the CONNECTION LIMIT of the database", "--processes", "1", "--permits", "7");
        await IsAsync(0, reader, "✓ connections 11 connections for this login (CONNECTION LIMIT of the database", "✓ reader a reader on this machine runs at most 44 statements at once, because max_connections is 100", "--processes", "1", "--permits", "4");
        await IsAsync(0, owner, "✓ connections 97 connections for this login (max_connections)", "! rights");
        await ExecuteAsync($"ALTER ROLE journal_reader CONNECTION LIMIT -1; ALTER DATABASE \"{connection.Database}\" CONNECTION LIMIT -1");

        await ExecuteAsync("ALTER SEQUENCE journal_ordering_seq CACHE 20");
        await IsAsync(1, reader, "✗ ordering", "ALTER SEQUENCE public.journal_ordering_seq CACHE 1");
        await ExecuteAsync("ALTER SEQUENCE journal_ordering_seq CACHE 1; DROP INDEX tags_tag_ordering_idx; CREATE INDEX ON tags (lower(tag), tag, ordering_id); ALTER TABLE journal DROP CONSTRAINT journal_persistence_id_sequence_number_key");
        await IsAsync(1, reader, "✗ indexes", "CREATE UNIQUE INDEX CONCURRENTLY ON \"journal\" (\"persistence_id\", \"sequence_number\");");
        await IsAsync(1, reader, "! indexes", "CREATE INDEX CONCURRENTLY ON \"tags\" (\"tag\", \"ordering_id\");");
        // The statements of the remedies are right.
        await ExecuteAsync("CREATE UNIQUE INDEX CONCURRENTLY ON \"journal\" (\"persistence_id\", \"sequence_number\");");
        await ExecuteAsync("CREATE INDEX CONCURRENTLY ON \"tags\" (\"tag\", \"ordering_id\");");
        await IsAsync(0, owner, "! rights", "is a superuser, and a reader needs only SELECT");

        async Task ExecuteAsync(string sql)
        {
            await using var command = new NpgsqlCommand(sql, connection);
            await command.ExecuteNonQueryAsync();
        }
    }

    [PostgreSqlFact]
    public async Task A_schema_or_a_tag_table_that_the_login_may_not_use_is_no_end_of_the_checks()
    {
        using var server = PostgreSqlServer.Start();
        var owner = server.CreateDatabase();
        await using var connection = new NpgsqlConnection(owner);
        await connection.OpenAsync();
        await ExecuteAsync("CREATE SCHEMA app; REVOKE ALL ON SCHEMA public FROM PUBLIC; ALTER ROLE journal_reader SET search_path = app; GRANT pg_read_all_stats TO journal_reader");
        await using (var appender = PostgreSqlJournal.OpenAppender(owner, JournalTables.Default with { Schema = "app" }))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([Event("a", 1, "blue")]);
        }
        var reader = new NpgsqlConnectionStringBuilder(owner) { Username = PostgreSqlServer.Reader }.ConnectionString;

        await IsAsync(1, reader, "✗ rights", "GRANT USAGE ON SCHEMA \"app\" TO \"journal_reader\";", "--schema", "app");
        await ExecuteAsync("GRANT USAGE ON SCHEMA app TO journal_reader");
        await IsAsync(1, reader, "✗ rights", "GRANT SELECT ON \"app\".\"journal\" TO \"journal_reader\";", "--schema", "app");
        await ExecuteAsync("GRANT SELECT ON app.journal TO journal_reader; GRANT SELECT ON SEQUENCE app.journal_ordering_seq TO journal_reader; ALTER TABLE app.journal ADD COLUMN IF NOT EXISTS tags text");
        // The login needs no right on the tag table, and none on the schema public, which other layouts name.
        await IsAsync(0, reader, "✓ tags in the column 'tags' of the journal", "the login may read the tables", "--tag-mode", "csv");
        await ExecuteAsync("GRANT SELECT ON app.tags TO journal_reader");
        await IsAsync(0, reader, "✓ tables", "No problem was found.");

        async Task ExecuteAsync(string sql)
        {
            await using var command = new NpgsqlCommand(sql, connection);
            await command.ExecuteNonQueryAsync();
        }
    }

    [Fact]
    public async Task Json_has_each_finding()
    {
        await using (var appender = SqliteJournal.OpenAppender($"Data Source={File}"))
            await appender.CreateAsync();
        var (code, output) = await OfFileAsync("--json", "--layout", "mysql");
        Assert.Equal(1, code);
        using var report = JsonDocument.Parse(output);
        var bad = Assert.Single(report.RootElement.GetProperty("findings").EnumerateArray(), finding => finding.GetProperty("health").GetString() == "bad");
        Assert.Equal("tables", bad.GetProperty("subject").GetString());
        Assert.StartsWith("There is no table \"event_journal\"", bad.GetProperty("text").GetString(), StringComparison.Ordinal);
        Assert.StartsWith("The layout 'default' fits", bad.GetProperty("remedy").GetString(), StringComparison.Ordinal);
    }

    private static async Task IsAsync(int expected, string connection, string line, string remedy, params string[] options)
    {
        var (code, output, errors) = await RunAsync(["--database", "postgres", "--connection", connection, .. options]);
        Assert.True(code == expected, $"It ended with {code}: {output}{errors}");
        Assert.Contains(line, Spaced(output), StringComparison.Ordinal);
        Assert.Contains(remedy, Spaced(output), StringComparison.Ordinal);
    }

    private async Task OnFileAsync(string sql)
    {
        await using var connection = new SqliteConnection($"Data Source={File};Pooling=False");
        await connection.OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        await command.ExecuteScalarAsync();
    }

    private async Task<(int Code, string Output)> OfFileAsync(params string[] options)
    {
        var (code, output, errors) = await RunAsync(["--database", "sqlite", "--connection", $"Data Source={File};Mode=ReadOnly", .. options]);
        Assert.Equal("", errors);
        return (code, options.Contains("--json") ? output : Spaced(output));
    }

    // Columns are padded and long lines are broken; the tests look for words.
    private static string Spaced(string output) => string.Join(' ', output.Split([' ', '\n', '\r'], StringSplitOptions.RemoveEmptyEntries));

    private static Task<ToolOutput> RunAsync(string[] arguments) => ToolOutput.OfAsync(["doctor", .. arguments]);

    private static JournalEvent Event(string id, long number, params string[] tags) =>
        new() { PersistenceId = id, SequenceNumber = number, SerializerId = 4, Payload = "x"u8.ToArray(), Timestamp = DateTime.UnixEpoch.Ticks + number, Tags = tags };
}
