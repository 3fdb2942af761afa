using System.Diagnostics;
using System.Text;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;

namespace Throttled.Tool.Tests.Tail;

/// <summary>The program as it is started, on a journal in a file.</summary>
public sealed class TailRunTests : IAsyncLifetime
{
    // { "amount": 255 }
    private const string Zipped = "H4sIAAAAAAACA6tWUErMzS/NK1GyUjAyNVWoBQAn1xr1EQAAAA==";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("tail-tests-");

    private string Connection => $"Data Source={Journal};Pooling=False";

    private string Journal => Path.Combine(_directory.FullName, "journal.db");

    public async Task InitializeAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(Connection);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(1, 6).Select(number => new JournalEvent
        {
            PersistenceId = $"account-{number % 2}",
            SequenceNumber = (number + 1) / 2,
            Payload = Encoding.UTF8.GetBytes($"event {number}"),
            Tags = number % 3 == 0 ? ["third"] : [],
        })]);
    }

    public Task DisposeAsync()
    {
        _directory.Delete(recursive: true);
        return Task.CompletedTask;
    }

    [Theory]
    [InlineData("--all", "1 2 3 4 5 6")]
    [InlineData("--all --after 4", "5 6")]
    [InlineData("--all --limit 2", "1 2")]
    [InlineData("--tag third", "3 6")]
    [InlineData("--id account-1 --after 1", "3 5")]
    [InlineData("--slices 0-1023 --after 3", "4 5 6")]
    public async Task Events_are_printed_a_line_each(string selection, string numbers)
    {
        var (code, lines, _) = await RunAsync($"{selection} --current");

        Assert.Equal(0, code);
        Assert.Equal(numbers, string.Join(' ', lines.Select(line => line[(line.LastIndexOf(' ') + 1)..])));
    }

    [Fact]
    public async Task Persistence_ids_are_printed_a_line_each() =>
        Assert.Equal(["account-0", "account-1"], (await RunAsync("--ids --current")).Lines.Order());

    [Fact]
    public async Task A_run_goes_on_where_the_last_one_ended()
    {
        var file = Path.Combine(_directory.FullName, "position");

        Assert.Equal(2, (await RunAsync($"--all --limit 2 --resume {file}")).Lines.Length);
        Assert.Equal(4, (await RunAsync($"--all --current --resume {file}")).Lines.Length);
        Assert.Empty((await RunAsync($"--all --current --resume {file}")).Lines);
    }

    [Fact]
    public async Task A_decoder_decodes_what_it_knows_and_its_failure_ends_the_run_after_the_events_before()
    {
        await using (var appender = SqliteJournal.OpenAppender(Connection))
            await appender.AppendAsync([Stored("placed+gzip", 4, Convert.FromBase64String(Zipped)), Stored("broken+gzip", 5, "not compressed"u8.ToArray()), Stored("other", 6, [255])]);
        var file = Path.Combine(_directory.FullName, "position");
        var decoder = $"--all --after 5 --current --json --resume {file} --decoder {typeof(ShopEvents).Assembly.Location}";

        var (code, lines, errors) = await RunAsync(decoder);

        Assert.Equal(2, code);
        Assert.Contains("ShopEvents.Decode failed for event 5 of 'account-9' with the manifest 'broken+gzip'", errors, StringComparison.Ordinal);
        Assert.Equal(2, lines.Length);
        Assert.Contains("\"payload\":\"event 6\"", lines[0], StringComparison.Ordinal);
        Assert.Contains("\"payload\":{\"amount\":255}", lines[1], StringComparison.Ordinal);
        Assert.Contains("7", await File.ReadAllTextAsync(file), StringComparison.Ordinal);

        static JournalEvent Stored(string manifest, long number, byte[] payload) => new() { PersistenceId = "account-9", SequenceNumber = number, Manifest = manifest, Payload = payload };
    }

    [Fact]
    public async Task The_version_is_that_of_the_library()
    {
        var library = typeof(JournalReader).Assembly.GetName().Version?.ToString(3);
        using var run = Start(["--version"]);

        Assert.Equal(library, (await run.StandardOutput.ReadToEndAsync()).TrimEnd());
    }

    [Fact]
    public async Task Bad_input_ends_with_code_2() => Assert.Equal(2, (await RunAsync("--all --after x")).Code);

    [Fact]
    public async Task A_missing_table_is_told_in_the_words_of_the_command_line()
    {
        var (code, _, errors) = await RunAsync("--all --current --journal-table nothing");
        Assert.Equal(2, code);
        Assert.Equal(
            "error: The journal table \"nothing\" is not there (SQLite Error 1: 'no such table: nothing'). Create it, or correct --journal-table. "
            + "Check --connection, --layout, --journal-table, --tag-mode and --tag-table. The database has the journal table 'journal': correct --journal-table and --layout.",
            errors.TrimEnd());
    }

    [Fact]
    public async Task An_error_that_waiting_does_not_cure_is_printed_once()
    {
        await File.WriteAllTextAsync(Journal, new string('x', 5_000));
        var (code, _, errors) = await RunAsync("--all --current");
        Assert.Equal(2, code);
        Assert.Single(errors.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.Contains("'file is not a database'. Check --connection", errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_follows_ends_quietly_when_nobody_reads_any_more()
    {
        // Windows does not tell while there is nothing to print.
        if (OperatingSystem.IsWindows())
            return;
        using var run = Start("--all");
        Assert.NotNull(await run.StandardOutput.ReadLineAsync());

        run.StandardOutput.Close();

        Assert.Equal("", await run.StandardError.ReadToEndAsync());
        await run.WaitForExitAsync();
        Assert.Equal(0, run.ExitCode);
    }

    [Fact]
    public async Task Who_follows_an_idle_journal_keeps_the_position_of_what_was_printed()
    {
        var file = Path.Combine(_directory.FullName, "position");
        using var watcher = new FileSystemWatcher(_directory.FullName);
        var written = new TaskCompletionSource();
        watcher.Renamed += (_, renamed) => _ = renamed.FullPath == file && written.TrySetResult();
        watcher.EnableRaisingEvents = true;
        using var run = Start($"--all --resume {file}");

        await written.Task.WaitAsync(TimeSpan.FromMinutes(1));

        run.Kill();
        await run.WaitForExitAsync();
        Assert.EndsWith("\"after\":6}\n", await File.ReadAllTextAsync(file), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_follows_ends_cleanly_when_told_to()
    {
        if (OperatingSystem.IsWindows())
            return;
        var file = Path.Combine(_directory.FullName, "position");
        using var run = Start($"--all --resume {file}");
        for (var number = 1; number <= 6; number++)
            Assert.NotNull(await run.StandardOutput.ReadLineAsync());

        using var kill = Process.Start("kill", ["-TERM", $"{run.Id}"]);

        await run.WaitForExitAsync();
        Assert.Equal(0, run.ExitCode);
        Assert.Equal("""{"journal":"sqlite FILE journal","query":"--all","after":6}""".Replace("FILE", Journal, StringComparison.Ordinal) + "\n", await File.ReadAllTextAsync(file));
    }

    [Fact]
    public async Task When_the_journal_went_back_it_is_said_once_with_what_to_do()
    {
        var file = Path.Combine(_directory.FullName, "position");
        using var run = Start($"--all --resume {file}");
        for (var number = 1; number <= 6; number++)
            Assert.NotNull(await run.StandardOutput.ReadLineAsync());

        await using (var connection = new SqliteConnection(Connection))
        {
            await connection.OpenAsync();
            await using var command = connection.CreateCommand();
            command.CommandText = "BEGIN; DELETE FROM journal WHERE ordering > 1; UPDATE sqlite_sequence SET seq = 1; COMMIT";
            await command.ExecuteNonQueryAsync();
        }

        var error = Assert.Single((await run.StandardError.ReadToEndAsync()).Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.EndsWith(
            $" --resume is '{file}', with a position from before the rewind: delete it, and start again from the first event or with --after.",
            error,
            StringComparison.Ordinal);
        Assert.Contains("went back", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--all", ". Check --connection, --layout, --journal-table, --tag-mode and --tag-table.")]
    [InlineData("--all --tag-mode csv", ". Check --connection, --layout, --journal-table and --tag-mode.")]
    [InlineData("--ids", ". Check --connection, --layout and --journal-table.")]
    public async Task A_query_that_is_refused_is_told_where_to_look(string selection, string hint)
    {
        var run = await RunAsync($"{selection} --current --journal-table nothing");

        Assert.Equal(2, run.Code);
        Assert.EndsWith($"{hint} The database has the journal table 'journal': correct --journal-table and --layout.", run.Errors.TrimEnd(), StringComparison.Ordinal);
    }

    private async Task<(int Code, string[] Lines, string Errors)> RunAsync(string arguments)
    {
        using var run = Start(arguments);
        var errors = run.StandardError.ReadToEndAsync();
        var output = await run.StandardOutput.ReadToEndAsync();
        await run.WaitForExitAsync();
        return (run.ExitCode, output.Split('\n', StringSplitOptions.RemoveEmptyEntries), await errors);
    }

    private Process Start(string arguments)
    {
        string[] connection = ["--database", "sqlite", "--connection", Connection];
        return Start(["tail", .. connection, .. arguments.Split(' ')]);
    }

    private static Process Start(string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet", [typeof(ToolCommand).Assembly.Location, .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        return Process.Start(start) ?? throw new InvalidOperationException("dotnet did not start.");
    }
}
