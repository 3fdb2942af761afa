using Akka.Actor;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// Opens the read journal of one section of the configuration. Akka.NET creates it by the section's setting <c>class</c>.
/// </summary>
public sealed class ThrottledReadJournalProvider : IReadJournalProvider
{
    private readonly ExtendedActorSystem _system;
    private readonly Config _section;

    /// <param name="system">The actor system.</param>
    /// <param name="config">The section.</param>
    public ThrottledReadJournalProvider(ExtendedActorSystem system, Config config) => (_system, _section) = (system, config);

    /// <summary>Opens the read journal. This reads nothing yet, and the database need not be up.</summary>
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    /// <exception cref="JournalClosedException">The actor system terminates.</exception>
    public IReadJournal GetReadJournal() => ThrottledReadJournal.Open(_system, _section);
}
