using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Journal.SqlServer;
using Throttled.Testing.Scripted;

namespace Throttled.Databases.Tests.Fuzzing;

/// <summary>Any connection string and table names are accepted or refused when a reader is opened. Passwords are never shown.</summary>
public sealed class ConnectionStringFuzzTests
{
    private const string Secret = "s3cr3t";

    private static readonly string[] Keys =
    [
        "Data Source", "Server", "Host", "Port", "Database", "Username", "User ID", "Mode", "Cache", "Timeout", "Command Timeout", "Maximum Pool Size", "Pooling", "SSL Mode",
        "Target Session Attributes", "Encrypt", "Application Name", "Foreign Keys", "Default Timeout", "Search Path", "Nonsense",
    ];

    [Fact]
    public void A_reader_is_opened_or_its_connection_string_is_refused() => Open(1_000);

    [Fact]
    [Trait("Category", "Long")]
    public void Very_many_readers_are_opened_or_their_connection_strings_are_refused() => Open(LongShare.Of(150_000));

    private static void Open(int count) => Garbage.ForEach(count, garbage =>
    {
        var (text, tables) = (ConnectionString(garbage), Tables(garbage));
        try
        {
            var options = new JournalOptions { Tables = tables };
            var reader = garbage.Random.Next(3) switch
            {
                0 => SqliteJournal.OpenReader(text, options),
                1 => PostgreSqlJournal.OpenReader(text, options),
                _ => SqlServerJournal.OpenReader(text, options),
            };
            Assert.True(reader.DisposeAsync().AsTask().Wait(TimeSpan.FromMinutes(1)), $"A reader of '{text}' does not close.");
        }
        catch (ArgumentException refusal)
        {
            Assert.DoesNotContain(Secret, refusal.ToString(), StringComparison.Ordinal);
            Assert.NotEmpty(refusal.Message);
        }
    });

    private static string ConnectionString(Garbage garbage)
    {
        var parts = Enumerable.Range(0, garbage.Random.Next(6)).Select(_ => $"{garbage.OneOf(Keys)}={(garbage.Random.Next(2) == 0 ? garbage.Text() : garbage.Like("localhost"))}");
        return string.Join(';', parts.Append($"Password={Secret}").OrderBy(_ => garbage.Random.Next()));
    }

    private static JournalTables Tables(Garbage garbage) => garbage.Random.Next(3) switch
    {
        0 => JournalTables.Default,
        1 => JournalTables.Default with { JournalTable = garbage.Text(), Schema = garbage.Text(), PersistenceIdColumn = garbage.Text() },
        _ => JournalTables.Default with { TagTable = garbage.Text(), OrderingColumn = garbage.Text(), TagColumn = garbage.Text() },
    };
}
