using System.Text;
using System.Text.RegularExpressions;
using Akka.Actor;
using Akka.Streams;
using Akka.Streams.Dsl;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>Messages of the engine about its options reach users with the keys of the configuration.</summary>
public sealed class EngineMessageTests : IDisposable
{
    private const string Section = ThrottledReadJournal.Identifier;

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-settings-");

    private string ConnectionString => $"Data Source={Path.Combine(_directory.FullName, "journal.db")};Pooling=false";

    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public async Task A_missing_table_fails_a_query_if_configured()
    {
        await CreateAsync(JournalTables.Default with { JournalTable = "elsewhere" });
        await using var system = System("require-table = on");
        var error = await Assert.ThrowsAsync<JournalException>(() => RunAsync(system, system.Open().CurrentAllEvents(Offset.NoOffset())));
        Assert.StartsWith("The journal table \"journal\" is not there (", error.Message, StringComparison.Ordinal);
        Assert.EndsWith(
            $"Create it, or correct '{Section}.default.journal.table-name', or leave '{Section}.require-table' off to wait for it.", error.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_missing_table_is_waited_for_and_logged()
    {
        await CreateAsync(JournalTables.Default with { JournalTable = "elsewhere" });
        await using var system = System("table-mapping = sqlite");
        var events = RunAsync(system, system.Open().CurrentAllEvents(Offset.NoOffset()));
        await system.LogsAsync($"Queries wait until this is fixed; '{Section}.require-table' makes them fail instead. "
            + $"Create it, or correct '{Section}.sqlite.journal.table-name'.");
        await CreateAsync(JournalTables.Sqlite with { TagMode = TagMode.TagTable });
        Assert.Empty(await events);
    }

    [Fact]
    public async Task A_missing_tag_table_fails_a_query_by_tag()
    {
        await CreateAsync(JournalTables.Default with { TagMode = TagMode.Csv });
        await using var system = System("");
        var error = await Assert.ThrowsAsync<JournalException>(() => RunAsync(system, system.Open().CurrentEventsByTag("red", Offset.NoOffset())));
        Assert.Contains(
            $"'{Section}.tag-read-mode' is TagTable, but there is no table \"tags\" beside the journal; it must be there. Create it, correct "
            + $"'{Section}.default.tag.table-name', or set '{Section}.tag-read-mode' to Csv", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_missing_tag_column_fails_a_query()
    {
        await CreateAsync(JournalTables.Default);
        await using var system = System("tag-read-mode = Csv");
        var error = await Assert.ThrowsAsync<JournalException>(() => RunAsync(system, system.Open().CurrentEventsByTag("red", Offset.NoOffset())));
        Assert.Contains(
            $"'{Section}.tag-read-mode' is Csv and '{Section}.default.journal.columns.tags' is tags, which is not a column", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_missing_column_fails_a_query()
    {
        await CreateAsync(JournalTables.Default);
        await using var system = System("default.journal.columns.message = body");
        var error = await Assert.ThrowsAsync<JournalException>(() => RunAsync(system, system.Open().CurrentEventsByPersistenceId("a", 0, 9)));
        Assert.Contains($"'{Section}.default.journal.columns.message' is body, which is not a column", error.Message, StringComparison.Ordinal);
        Assert.Contains($"Correct '{Section}.default.journal.columns.message'.", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_tag_with_the_separator_is_refused_at_once(bool isLive)
    {
        using var system = System("tag-read-mode = Csv");
        var journal = system.Open();
        var error = Assert.Throws<ArgumentException>(() => isLive
            ? journal.EventsByTag("a;b", Offset.NoOffset())
            : journal.CurrentEventsByTag("a;b", Offset.NoOffset()));
        Assert.Equal("tag", error.ParamName);
        Assert.EndsWith($"or set '{Section}.tag-read-mode' to TagTable. (Parameter 'tag')", error.Message, StringComparison.Ordinal);
        Assert.Single(Regex.Matches(error.Message, "Parameter"));
    }

    private ConfiguredSystem System(string differs) => new(Hocon.Journal($"connection-string = \"{ConnectionString}\"\nrefresh-interval = 5ms\n{differs}"));

    private async Task CreateAsync(JournalTables tables)
    {
        await using var appender = SqliteJournal.OpenAppender(ConnectionString, tables);
        await appender.CreateAsync();
        if (tables.JournalTable == "journal")
            await appender.AppendAsync([new() { PersistenceId = "a", SequenceNumber = 1, Payload = Encoding.UTF8.GetBytes("one"), SerializerId = 4, Tags = ["red"] }]);
    }

    private static Task<System.Collections.Immutable.IImmutableList<EventEnvelope>> RunAsync(ConfiguredSystem system, Source<EventEnvelope, NotUsed> query) =>
        query.RunWith(Sink.Seq<EventEnvelope>(), system.System.Materializer());
}
