using Throttled.Tool.CommandLine;
using Throttled.Tool.Tail;

namespace Throttled.Tool.Tests.Tail;

public sealed class JournalPlaceTests
{
    private const string Server = "Host=Db.local;Port=5433;Database=app;Username=me;Password=secret";

    [Fact]
    public void A_file_is_named_by_its_whole_path() =>
        Assert.Equal($"sqlite {Path.GetFullPath("journal.db")} journal", Place("sqlite", "Data Source=journal.db;Pooling=False"));

    [Theory]
    [InlineData(Server, null, "postgres db.local:5433/app journal")]
    [InlineData(Server, "events", "postgres db.local:5433/app events.journal")]
    [InlineData(Server + ";Search Path=tenant", null, "postgres db.local:5433/app tenant.journal")]
    [InlineData("Host=db.local;Username=me", null, "postgres db.local:5432/me journal")]
    public void A_server_is_named_without_its_password(string connection, string? schema, string place) =>
        Assert.Equal(place, Place("postgres", connection, schema));

    [Fact]
    public void What_is_no_connection_string_is_refused() => Assert.StartsWith(
        "--connection cannot be used: ", Assert.Throws<CommandException>(() => Place("postgres", "Hots=x")).Message, StringComparison.Ordinal);

    private static string Place(string database, string connection, string? schema = null) => JournalPlace.Of(new()
    {
        Database = database,
        Connection = connection,
        Source = "--connection",
        Options = new() { Tables = JournalTables.Default with { Schema = schema } },
        Selection = new Selection.All(),
    });
}
