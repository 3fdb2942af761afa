using Akka.Actor;

namespace Akka.Persistence.Query.Throttled.Tests;

public sealed class OffsetTests
{
    [Fact]
    public async Task An_offset_of_an_unknown_type_is_refused()
    {
        using var system = ActorSystem.Create("offsets", """
            akka.persistence.query.journal.throttled {
              connection-string = "Data Source=never-opened.db"
              provider-name = SQLite
            }
            """);
        var journal = system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);
        foreach (var offset in (Offset[])[Offset.TimeBasedUuid(Guid.Empty), Offset.Sequence(-1)])
        {
            foreach (var query in (Action[])[
                () => journal.EventsByTag("t", offset), () => journal.CurrentEventsByTag("t", offset),
                () => journal.AllEvents(offset), () => journal.CurrentAllEvents(offset)])
                Assert.Equal("offset", Assert.Throws<ArgumentException>(query).ParamName);
        }
        Assert.NotNull(journal.AllEvents(null!));
        await system.Terminate();
    }
}
