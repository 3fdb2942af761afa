using Akka.Persistence.Query;
using Akka.Persistence.Query.Throttled;
using CrushTest.Akka.Journals;
using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;

namespace CrushTest.Akka.Rounds;

/// <summary>Opens an actor system with the plugin.</summary>
internal static class PluginStreams
{
    internal static StreamRound Open(CrushSettings settings, CrushJournal database, Tally tally, out ThrottledReadJournal journal)
    {
        var streams = new StreamRound(Systems.Of(settings, database), settings.Streams, tally);
        journal = PersistenceQuery.Get(streams.System).ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);
        return streams;
    }
}
