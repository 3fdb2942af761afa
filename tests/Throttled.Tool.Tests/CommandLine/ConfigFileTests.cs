using Throttled.Journal.Sqlite;

namespace Throttled.Tool.Tests.CommandLine;

/// <summary>The option <c>--config</c>: a command opens the journal of the application whose configuration it gets.</summary>
public sealed class ConfigFileTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-config-");

    public static TheoryData<string, string, string, string> Refused { get; } = new()
    {
        { "a.conf", "akka { loglevel = INFO }", "", "'akka.persistence.query.journal.throttled.connection-string' is empty, and no write plugin is configured" },
        { "a.conf", "include \"nope", "", "It is not HOCON: " },
        { "a.conf", "<configuration />", "", "an XML file; it must be HOCON or appsettings.json" },
        { "a.conf", "akka {}", "--config-entry akka.persistence.query.journal.orders", "There is no section 'akka.persistence.query.journal.orders'" },
        { "a.conf", "akka.persistence.query.journal.throttled { connection-string = a, provider-name = Oracle }", "", "provider-name' is \"Oracle\"; it must be PostgreSQL" },
        { "a.conf", "akka.persistence.query.journal.throttled { connection-string = \"Data Source=a\", provider-name = SQLite }", "--database postgres", "--database is postgres, and 'akka.persistence.query.journal.throttled.connection-string' in '" },
        { "a.conf", "akka.persistence.query.journal.throttled { connection-string = \"Data Source=a\", provider-name = SQLite }", "--shard 1", "--shard is 1, and the journal of '" },
        { "a.conf", "akka.persistence.query.journal.throttled { shards = [\"Data Source=a\", \"Data Source=b\"], provider-name = SQLite }", "", "has 2 shards; give --shard from 0 to 1." },
        { "a.conf", "akka.persistence.query.journal.throttled { shards = [\"Data Source=a\", \"Data Source=b\"], provider-name = SQLite }", "--shard 2", "--shard is 2; it must be from 0 to 1" },
        { "a.conf", "akka.persistence.query.journal.throttled { connection-string = \"Host=127.0.0.1;Port=1;Username=a\", provider-name = PostgreSQL.15 }", "", "'akka.persistence.query.journal.throttled.connection-string' in '" },
        { "a.json", "{", "", "it is not JSON: " },
        { "a.json", "{}", "", "which has neither ConnectionStrings nor akka.persistence." },
        { "a.json", """{ "ConnectionStrings": { "One": "Data Source=a", "Two": "Data Source=b" } }""", "", "which has 2 connection strings; give --config-entry with one of One, Two." },
        { "a.json", """{ "ConnectionStrings": { "One": "Data Source=a" } }""", "--config-entry Three", "has no such connection string; it has One." },
        { "a.json", """{ "ConnectionStrings": { "One": "Data Source=a" } }""", "", "--database is missing, and 'ConnectionStrings:One' in '" },
        { "a.json", """{ "ConnectionStrings": { "One": "Host=127.0.0.1;Port=1;Username=a" } }""", "", "names 127.0.0.1:1; the server cannot be reached." },
        { "a.json", """{ "ConnectionStrings": { "One": "Data Source=a" } }""", "--connection b", "--connection and --config are given; they exclude each other." },
    };

    private string Journal => Path.Combine(_directory.FullName, "journal.db");

    public void Dispose() => _directory.Delete(recursive: true);

    [Theory]
    [MemberData(nameof(Refused))]
    public async Task What_a_configuration_lacks_is_said(string name, string text, string options, string reason)
    {
        var (code, _, errors) = await ToolOutput.OfAsync(["doctor", "--config", Write(name, text), .. options.Split(' ', StringSplitOptions.RemoveEmptyEntries)]);
        Assert.Equal(2, code);
        Assert.StartsWith("error: ", errors, StringComparison.Ordinal);
        Assert.Contains(reason, errors, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--config not-there.conf", "--config is 'not-there.conf'; it cannot be read: ")]
    [InlineData("--database sqlite --config-entry a", "--config-entry is 'a', and --config is missing")]
    [InlineData("--database sqlite --shard 1", "--shard is 1, and --config is missing")]
    public async Task What_does_not_fit_is_refused(string line, string reason) =>
        Assert.Contains(reason, (await ToolOutput.OfAsync(["journal", .. line.Split(' ')])).Errors, StringComparison.Ordinal);

    [Fact]
    public async Task The_write_plugin_of_an_application_names_database_tables_and_tags()
    {
        await CreateAsync(JournalTables.Sqlite);
        var file = Write("app.conf", $$"""
            akka.persistence.journal {
              plugin = "akka.persistence.journal.sqlite"
              sqlite {
                class = "Akka.Persistence.Sqlite.Journal.SqliteJournal, Akka.Persistence.Sqlite"
                connection-string = "Data Source={{Journal.Replace('\\', '/')}}"
              }
            }
            """);
        var (code, output, errors) = await ToolOutput.OfAsync("doctor", "--config", file);
        Assert.Equal((0, ""), (code, errors));
        Assert.Contains("has the columns of the layout 'sqlite', which the older Akka.Persistence.Sqlite writes", output, StringComparison.Ordinal);

        // An option replaces what the configuration says.
        Assert.Contains("\"events\"", (await ToolOutput.OfAsync("doctor", "--config", file, "--journal-table", "events")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_journal_of_a_sharded_application_is_named_by_its_number()
    {
        await CreateAsync(JournalTables.Default);
        var shard = $"{JournalSlices.Of("a") / 512}";
        await ToolOutput.OfAsync("reshard", "mark", "--database", "sqlite", "--on", $"Data Source={Journal}", "--shards", "2", "--shard", shard);
        string[] files = shard == "0" ? [Journal, "elsewhere.db"] : ["elsewhere.db", Journal];
        var file = Write("app.conf", $$"""
            akka.persistence.query.journal.orders {
              shards = ["Data Source={{files[0].Replace('\\', '/')}}", "Data Source={{files[1].Replace('\\', '/')}}"]
              provider-name = SQLite.MS
            }
            """);
        var (code, output, errors) = await ToolOutput.OfAsync("journal", "--config", file, "--config-entry", "akka.persistence.query.journal.orders", "--shard", shard);
        Assert.Equal((0, ""), (code, errors));
        Assert.Contains("journal end      2", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("""{ "ConnectionStrings": { "Journal": "FILE", "Other": "Host=a" } }""", "Journal")]
    [InlineData("""{ /* comment */ "Logging": {}, "ConnectionStrings": { "Journal": "FILE" }, }""", null)]
    [InlineData("""{ "ConnectionStrings": { "Journal": "FILE" }, "Akka": { "loglevel": "INFO" } }""", null)]
    [InlineData("""{ "Akka": { "persistence": { "query": { "journal": { "throttled": { "connection-string": "FILE", "provider-name": "SQLite" } } } } } }""", null)]
    public async Task An_appsettings_file_has_connection_strings_or_sections_of_Akka(string json, string? entry)
    {
        await CreateAsync(JournalTables.Default);
        var file = Write("appsettings.json", json.Replace("FILE", $"Data Source={Journal.Replace('\\', '/')}", StringComparison.Ordinal));
        var (code, output, errors) = await ToolOutput.OfAsync(["journal", "--database", "sqlite", "--config", file, .. entry is null ? (string[])[] : ["--config-entry", entry]]);
        Assert.Equal((0, ""), (code, errors));
        Assert.Contains("journal end      2", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_permits_of_the_configuration_are_compared_with_the_server()
    {
        await CreateAsync(JournalTables.Default);
        var file = Write("app.conf", $"akka.persistence.query.journal.throttled {{ connection-string = \"Data Source={Journal.Replace('\\', '/')}\", provider-name = SQLite, max-concurrent-queries = 7 }}");
        // SQLite has no connections to compare, but the option is accepted without --permits.
        var run = await ToolOutput.OfAsync("doctor", "--config", file, "--processes", "3");
        Assert.Equal((0, ""), (run.Code, run.Errors));
    }

    private string Write(string name, string text)
    {
        var file = Path.Combine(_directory.FullName, name);
        File.WriteAllText(file, text);
        return file;
    }

    private async Task CreateAsync(JournalTables tables)
    {
        await using var appender = SqliteJournal.OpenAppender($"Data Source={Journal};Pooling=False", tables);
        await appender.CreateAsync();
        await appender.AppendAsync([Event(1), Event(2)]);
    }

    private static JournalEvent Event(long number) => new() { PersistenceId = "a", SequenceNumber = number, SerializerId = 4, Payload = "x"u8.ToArray() };
}
