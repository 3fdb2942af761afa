using System.Text;
using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Akka.Streams;
using Akka.Streams.Dsl;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests;

/// <summary>The four lines of HOCON in the README work.</summary>
public sealed class FourLinesTests
{
    [Fact]
    public async Task Events_of_an_id_arrive_with_payload_offset_and_tags()
    {
        using var file = new JournalFile();
        await using var appender = SqliteJournal.OpenAppender(file.ConnectionString);
        await appender.CreateAsync();
        await appender.AppendAsync(Enumerable.Range(1, 5).Select(n => new JournalEvent
        {
            PersistenceId = "a", SequenceNumber = n, Payload = Encoding.UTF8.GetBytes($"event {n}"), SerializerId = 4, Tags = ["red"],
        }).ToList());
        using var system = ActorSystem.Create("four-lines", $$"""
            akka.persistence.query.journal.throttled {
              connection-string = "{{file.ConnectionString}}"
              provider-name = "SQLite.MS"
            }
            """);
        var journal = system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);
        var materializer = system.Materializer();
        var events = await journal.EventsByPersistenceId("a", 0, long.MaxValue).Take(5).RunWith(Sink.Seq<EventEnvelope>(), materializer);
        Assert.Equal([1L, 2, 3, 4, 5], events.Select(each => each.SequenceNr));
        Assert.Equal("event 3", Encoding.UTF8.GetString((byte[])events[2].Event));
        Assert.Equal(["red"], events[0].Tags);
        Assert.Equal(new Sequence(1), events[0].Offset);
        var current = await journal.CurrentEventsByTag("red", Offset.Sequence(2)).RunWith(Sink.Seq<EventEnvelope>(), materializer);
        Assert.Equal(3, current.Count);
        await system.Terminate();
    }
}
