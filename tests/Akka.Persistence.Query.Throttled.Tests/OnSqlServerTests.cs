using System.Text;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Persistence.Query.Throttled.Tests.Settings;
using Akka.Streams;
using Akka.Streams.Dsl;
using Microsoft.Data.SqlClient;
using Throttled.Journal.SqlServer;

namespace Akka.Persistence.Query.Throttled.Tests;

/// <summary>Every query over SQL Server, with each way to configure the database of the journal.</summary>
public sealed class OnSqlServerTests
{
    private const string Section = ThrottledReadJournal.Identifier;
    private const int EventsEach = 10;

    private static readonly string[] Ids = ["a", "b", "ä–𝄞"];

    [SqlServerFact]
    public Task Four_lines_read_the_default_layout() => ReadAsync(
        JournalTables.Default, database => $"{Section} {{ connection-string = \"{database}\", provider-name = SqlServer.2019 }}");

    [SqlServerFact]
    public Task The_section_of_the_older_plugin_is_enough() => ReadAsync(
        JournalTables.SqlServer with { JournalTable = "Moved" },
        database => $$"""
            akka.persistence.journal {
              plugin = akka.persistence.journal.sql-server
              sql-server {
                class = "Akka.Persistence.SqlServer.Journal.SqlServerJournal, Akka.Persistence.SqlServer"
                connection-string = "{{database}}"
                table-name = Moved
              }
            }
            {{Section}}.refresh-interval = 100ms
            """);

    [SqlServerFact]
    public Task The_section_of_Akka_Persistence_Sql_is_enough() => ReadAsync(
        JournalTables.SqlServer with { TagMode = TagMode.TagTable },
        database => $$"""
            akka.persistence.journal {
              plugin = akka.persistence.journal.sql
              sql { connection-string = "{{database}}", provider-name = SqlServer.2022, table-mapping = sql-server, tag-write-mode = TagTable }
            }
            {{Section}}.refresh-interval = 100ms
            """);

    [SqlServerFact]
    public async Task A_data_source_replaces_provider_and_connection_string()
    {
        var database = SqlServerJournals.CreateDatabase();
        await using (var source = SqlClientFactory.Instance.CreateDataSource(database))
        {
            await using var system = new ConfiguredSystem($"{Section}.tag-read-mode = Csv", new ThrottledReadJournalSetup().WithDataSource(Section, source));
            await ReadAsync(system, SqlServerJournal.OpenAppender(source, JournalTables.Default with { TagMode = TagMode.Csv }));
        }
        SqlServerJournals.Drop(database);
    }

    private static async Task ReadAsync(JournalTables tables, Func<string, string> hocon)
    {
        var database = SqlServerJournals.CreateDatabase();
        await using (var system = new ConfiguredSystem(hocon(SqlServerJournals.Hocon(database))))
            await ReadAsync(system, SqlServerJournal.OpenAppender(database, tables));
        SqlServerJournals.Drop(database);
    }

    private static async Task ReadAsync(ConfiguredSystem system, JournalAppender appender)
    {
        await using var closing = appender;
        await appender.CreateAsync();
        var events = NewEvents();
        await appender.AppendAsync([.. events.Take(events.Count / 2)]);
        var materializer = system.System.Materializer();
        var journal = system.Open();
        Task<IReadOnlyList<string>>[] live =
        [
            RunAsync(journal.AllEvents(Offset.NoOffset()).Take(events.Count).Select(Text)),
            RunAsync(journal.EventsByTag("red", Offset.NoOffset()).Take(events.Count / 2).Select(Text)),
            RunAsync(journal.EventsBySlices(0, 1023, Offset.NoOffset()).Take(events.Count).Select(Text)),
            .. Ids.Select(id => RunAsync(journal.EventsByPersistenceId(id, 0, long.MaxValue).Take(EventsEach).Select(Text))),
            RunAsync(journal.PersistenceIds().Take(Ids.Length)),
        ];
        await appender.AppendAsync([.. events.Skip(events.Count / 2)]);
        AssertAll(events, await Task.WhenAll(live));
        AssertAll(events, await Task.WhenAll(
        [
            RunAsync(journal.CurrentAllEvents(Offset.NoOffset()).Select(Text)),
            RunAsync(journal.CurrentEventsByTag("red", Offset.NoOffset()).Select(Text)),
            RunAsync(journal.CurrentEventsBySlices(0, 1023, Offset.NoOffset()).Select(Text)),
            .. Ids.Select(id => RunAsync(journal.CurrentEventsByPersistenceId(id, 0, long.MaxValue).Select(Text))),
            RunAsync(journal.CurrentPersistenceIds()),
        ]));

        async Task<IReadOnlyList<string>> RunAsync(Source<string, NotUsed> query) =>
            await query.RunWith(Sink.Seq<string>(), materializer).WithinAsync("a query's events");
    }

    private static void AssertAll(IReadOnlyList<JournalEvent> events, IReadOnlyList<string>[] found)
    {
        var all = events.Select(Text).ToList();
        Assert.Equal(all, found[0]);
        Assert.Equal(events.Where(each => each.Tags.Contains("red")).Select(Text), found[1]);
        Assert.Equal(all, found[2]);
        foreach (var (index, id) in Ids.Index())
            Assert.Equal(events.Where(each => each.PersistenceId == id).Select(Text), found[3 + index]);
        Assert.Equal(Ids.Order(StringComparer.Ordinal), found[^1].Order(StringComparer.Ordinal));
    }

    // Events of different ids in turn; every second event is red.
    private static List<JournalEvent> NewEvents() =>
    [
        .. from number in Enumerable.Range(1, EventsEach)
           from id in Ids
           select new JournalEvent
           {
               PersistenceId = id,
               SequenceNumber = number,
               Timestamp = number,
               Payload = Encoding.UTF8.GetBytes($"{id} {number}"),
               SerializerId = 4,
               Tags = number % 2 == 0 ? ["red", "grün"] : [],
           },
    ];

    private static string Text(JournalEvent each) =>
        $"{each.PersistenceId} {each.SequenceNumber} {each.Timestamp} {Encoding.UTF8.GetString(each.Payload.Span)} {string.Join(',', each.Tags.Order(StringComparer.Ordinal))}";

    private static string Text(EventEnvelope each) =>
        $"{each.PersistenceId} {each.SequenceNr} {each.Timestamp} {Encoding.UTF8.GetString((byte[])each.Event)} {string.Join(',', each.Tags.Order(StringComparer.Ordinal))}";
}
