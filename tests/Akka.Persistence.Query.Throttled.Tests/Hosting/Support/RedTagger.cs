using Akka.Persistence.Journal;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting.Support;

/// <summary>Tags every event.</summary>
public sealed class RedTagger : IWriteEventAdapter
{
    public string Manifest(object evt) => "";

    public object ToJournal(object evt) => new Tagged(evt, ["red"]);
}
