using System.Text;
using Akka.Actor;
using Akka.Streams;
using Akka.Streams.Dsl;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

public sealed class SideBySideTests
{
    private const string Prefix = "query-throttler-";

    [Fact]
    public async Task Two_journals_of_one_file_each_have_their_own_throttler_and_name()
    {
        var directory = Directory.CreateTempSubdirectory("throttled-settings-");
        var file = $"Data Source={Path.Combine(directory.FullName, "journal.db")}";
        await using (var appender = SqliteJournal.OpenAppender(file))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([new() { PersistenceId = "a", SequenceNumber = 1, Payload = Encoding.UTF8.GetBytes("one"), SerializerId = 4 }]);
        }
        await using (var system = new ConfiguredSystem(Hocon.Journal($"connection-string = \"{file}\"\nmax-concurrent-queries = 1")
            + Hocon.Journal($"connection-string = \"{file}\"\nmax-concurrent-queries = 2", "journals.other")))
        {
            var journals = new[] { system.Open(), system.Open("journals.other") };
            Assert.NotSame(journals[0].Engine, journals[1].Engine);
            Assert.Equal([ThrottledReadJournal.Identifier, "journals.other"], journals.Select(each => each.Engine.Options.Name));
            Assert.Equal([1, 2], journals.Select(each => each.Engine.Options.MaxConcurrentQueries));
            foreach (var journal in journals)
            {
                var events = await journal.CurrentEventsByPersistenceId("a", 0, long.MaxValue).RunWith(Sink.Seq<EventEnvelope>(), system.System.Materializer());
                Assert.Equal("one", Encoding.UTF8.GetString((byte[])Assert.Single(events).Event));
            }
            Assert.Equal([ThrottledReadJournal.Identifier, "journals.other"], Throttlers(system.System).Order(StringComparer.Ordinal));
            Assert.Same(journals[0], system.Open());
        }
        directory.Delete(recursive: true);
    }

    // A name has the id of its journal, and ends in a number that is unique in the process.
    private static IEnumerable<string> Throttlers(ActorSystem system) => ((ActorRefWithCell)((ExtendedActorSystem)system).SystemGuardian).Children
        .Select(child => child.Path.Name)
        .Where(name => name.StartsWith(Prefix, StringComparison.Ordinal))
        .Select(name => name[Prefix.Length..name.LastIndexOf('-')]);
}
