using System.CommandLine;
using Npgsql;
using Spectre.Console;
using Throttled.Journal.PostgreSql;
using Throttled.Testing;
using Throttled.Tool.Doctor;

namespace Throttled.Tool.Tests.Pictures;

/// <summary>
/// The pictures of the doctor in the documentation show what it prints about real databases. If the environment variable <c>THROTTLED_PICTURES</c> is 1,
/// they are taken again.
/// </summary>
public sealed class DoctorPictureTests : IDisposable
{
    private const string Variable = "THROTTLED_PICTURES";

    private readonly Lazy<PostgreSqlServer> _server = new(() => PostgreSqlServer.Start());

    public void Dispose()
    {
        if (_server.IsValueCreated)
            _server.Value.Dispose();
    }

    [PostgreSqlFact]
    public async Task The_doctor_prints_about_a_good_database_and_three_bad_ones_what_their_pictures_show()
    {
        var owner = await CreateAsync();
        await RunAsync(owner, "GRANT SELECT ON journal, tags TO journal_reader; GRANT SELECT ON SEQUENCE journal_ordering_seq TO journal_reader; GRANT pg_read_all_stats TO journal_reader");
        await ShowsAsync("good", "Eleven lines with a green tick, and: No problem was found.", owner, "--processes", "3", "--permits", "20");
        await ShowsAsync("layout", "A red line: there is no event_journal table of the layout postgresql; the layout default fits the table journal.", owner, "--layout", "postgresql");

        await RunAsync(owner, "ALTER ROLE journal_reader CONNECTION LIMIT 40");
        await using (var migration = new NpgsqlConnection(new NpgsqlConnectionStringBuilder(owner) { ApplicationName = "nightly migration", Pooling = false }.ConnectionString))
        {
            await migration.OpenAsync();
            await migration.RunAsync("BEGIN; LOCK TABLE journal IN ACCESS EXCLUSIVE MODE");
            await ShowsAsync(
                "connections", "Two red lines: the connection limit of the login is too small for three processes with 20 permits, and a session has locked the journal.",
                owner, "--processes", "3", "--permits", "20");
        }

        await RunAsync(
            owner,
            """
            ALTER ROLE journal_reader CONNECTION LIMIT -1;
            REVOKE pg_read_all_stats FROM journal_reader; REVOKE SELECT ON SEQUENCE journal_ordering_seq FROM journal_reader;
            ALTER TABLE journal DROP CONSTRAINT journal_persistence_id_sequence_number_key; DROP INDEX tags_tag_ordering_idx
            """);
        await ShowsAsync("index", "A red line for a missing index, and yellow lines for another one and for two missing rights, each with its statement.", owner);
    }

    [Fact]
    public void A_picture_has_all_words_each_with_its_colour()
    {
        var svg = Picture("Title", ["throttled doctor"], [Finding.Good("size", "0.5 MB"), Finding.Bad("tags", "<none> in 3 tables", "CREATE TABLE x;")]);

        Assert.Contains("class=\"green\">✓</text>", svg, StringComparison.Ordinal);
        Assert.Contains("class=\"red\">✗</text>", svg, StringComparison.Ordinal);
        Assert.Equal("$ throttled doctor ✓ size # MB ✗ tags <none> in # tables → CREATE TABLE x; # thing must be corrected.", TerminalPicture.TextOf(svg));
    }

    private static async Task ShowsAsync(string name, string title, string owner, params string[] options)
    {
        var connection = new NpgsqlConnectionStringBuilder(owner) { Username = PostgreSqlServer.Reader };
        var parsed = DoctorCommand.Create().Parse(["--database", "postgres", "--connection", connection.ConnectionString, .. options]);
        var findings = await new Checkup(DoctorCommand.Read(parsed)).RunAsync(CancellationToken.None);
        const string command = "throttled doctor --database postgres --connection \"Host=…;Database=shop;Username=journal_reader\"";
        var picture = Picture(title, options is [] ? [command] : [$"{command} \\", string.Join(' ', options)], findings);
        var file = Path.Combine(WorkingCopy.Root, "docs", "pictures", $"doctor-{name}.svg");
        if (Environment.GetEnvironmentVariable(Variable) == "1")
            await File.WriteAllTextAsync(file, picture);
        Assert.Equal(TerminalPicture.TextOf(await File.ReadAllTextAsync(file)), TerminalPicture.TextOf(picture));
    }

    private static string Picture(string title, IReadOnlyList<string> command, IReadOnlyList<Finding> findings)
    {
        var console = AnsiConsole.Create(new() { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors, Out = new AnsiConsoleOutput(TextWriter.Null) });
        console.Profile.Width = TerminalPicture.Columns;
        using var recorder = new Recorder(console);
        DoctorCommand.Write(recorder, findings);
        return recorder.Export(new TerminalPicture(title, command));
    }

    private async Task<string> CreateAsync()
    {
        await RunAsync(_server.Value.ConnectionString(), "CREATE DATABASE shop");
        var owner = _server.Value.ConnectionString("shop");
        await using var appender = PostgreSqlJournal.OpenAppender(owner);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(1, 2_000).Select(number => new JournalEvent
        {
            PersistenceId = $"order-{number % 100}",
            SequenceNumber = ((number - 1) / 100) + 1,
            SerializerId = 4,
            Payload = new byte[200],
            Timestamp = new DateTime(2026, 3, 1, 0, 0, 0, DateTimeKind.Utc).AddSeconds(number).Ticks,
            Tags = number % 4 == 0 ? ["paid"] : [],
        })]);
        return owner;
    }

    private static async Task RunAsync(string database, string sql)
    {
        await using var connection = new NpgsqlConnection($"{database};Pooling=False");
        await connection.OpenAsync();
        await connection.RunAsync(sql);
    }
}
