using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;
using Throttled.Tool.Tail;

namespace Throttled.Tool.Tests.Tail;

/// <summary>The hint of known tables after an error, in a file that has the table 'journal' and not the one that was asked for.</summary>
public sealed class HintTests : IAsyncLifetime
{
    private static readonly SqliteException Missing = new("no such table: nothing", SQLitePCL.raw.SQLITE_ERROR);

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("tail-hint-");

    private string Connection => $"Data Source={Path.Combine(_directory.FullName, "journal.db")};Pooling=False";

    public async Task InitializeAsync()
    {
        await using var appender = SqliteJournal.OpenAppender(Connection);
        await appender.CreateAsync();
    }

    public Task DisposeAsync()
    {
        _directory.Delete(recursive: true);
        return Task.CompletedTask;
    }

    [Fact]
    public async Task A_missing_table_has_a_hint_of_the_tables_that_are_there() =>
        Assert.Equal(" The database has the journal table 'journal': correct --journal-table and --layout.", await HintAsync(Missing));

    [Fact]
    public async Task Other_errors_have_no_hint()
    {
        Assert.Equal("", await HintAsync(null));
        Assert.Equal("", await HintAsync(new SqliteException("disk I/O error", SQLitePCL.raw.SQLITE_IOERR)));
    }

    [Fact]
    public async Task A_user_who_ends_the_run_does_not_wait_for_the_hint() => Assert.Equal("", await HintAsync(Missing, new(canceled: true)));

    private Task<string> HintAsync(Exception? cause, CancellationToken ending = default) => TailRun.HintAsync(
        new("The journal cannot be read.", cause),
        new()
        {
            Database = "sqlite",
            Connection = Connection,
            Source = "--connection",
            Options = new() { Tables = JournalTables.Default with { JournalTable = "nothing" } },
            Selection = new Selection.All(),
        },
        ending);
}
