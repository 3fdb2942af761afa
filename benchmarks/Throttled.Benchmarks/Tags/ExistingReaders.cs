using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query;
using Akka.Persistence.Sql.Query;
using Akka.Streams;
using CrushTest.Actors;
using Throttled.Benchmarks.Writing;

namespace Throttled.Benchmarks.Tags;

/// <summary>Akka.Persistence.Sql on PostgreSQL, with a time-out of an hour. Its statements are those that the server counts.</summary>
internal sealed class ExistingReaders(OwnJournal journal) : ITagReaders
{
    private readonly List<Task> _streams = [];
    private readonly SharedKillSwitch _end = KillSwitches.Shared("end");
    private ActorSystem? _system;

    public long Statements => 0;

    public async Task OpenAsync()
    {
        var mode = journal.Tables.TagMode == TagMode.Csv ? "Csv" : "TagTable";
        _system = ActorSystem.Create("existing", ConfigurationFactory.ParseString(
            $"""
            {ActorConfig.ExistingTimeout} = 1h
            akka.persistence.journal.sql.tag-write-mode = {mode}
            akka.persistence.query.journal.sql.tag-read-mode = {mode}
            """).WithFallback(journal.ExistingConfig));
        await Journal.CurrentEventsByTag("nobody", Offset.NoOffset()).RunForeach(static _ => { }, _system.Materializer());
    }

    public void Start(TagStreams streams)
    {
        var materializer = _system!.Materializer();
        for (var i = 0; i < streams.Plan.Streams; i++)
        {
            var stream = i;
            var source = Journal.EventsByTag(streams.Plan.Tag(stream), Offset.Sequence(streams.After)).Via(_end.Flow<EventEnvelope>());
            _streams.Add(WatchAsync(source.RunForeach(each => streams.Arrived(stream, ((Sequence)each.Offset).Value), materializer), streams));
        }
    }

    public Task FollowAsync() => Task.Delay(TimeSpan.FromSeconds(2));

    public async ValueTask DisposeAsync()
    {
        // The end of the actor system does not end their tasks.
        _end.Shutdown();
        await Task.WhenAll(_streams);
        if (_system is not null)
            await _system.Terminate();
    }

    private SqlReadJournal Journal => PersistenceQuery.Get(_system).ReadJournalFor<SqlReadJournal>(SqlReadJournal.Identifier);

    private static async Task WatchAsync(Task running, TagStreams streams)
    {
        try
        {
            await running;
        }
        catch (Exception error)
        {
            streams.Failed(error);
        }
    }
}
