using Akka.Actor;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>A journal in its own database, with its write plugin and its read journal.</summary>
/// <param name="Config">The whole configuration of an actor system.</param>
/// <param name="Remove">Removes the database.</param>
public sealed record WrittenJournal(Config Config, Action Remove)
{
    private static readonly Config Common =
        $$"""
        {{AkkaTimeouts.Hocon}}
        akka.loglevel = INFO
        akka.stdout-loglevel = WARNING
        akka.persistence.query.journal.throttled {
          refresh-interval = 10ms
          # A few events fill several pages, but the three events of the specs by persistence id fit on one. If a page is full, a
          # current query by persistence id also reads the next page, and delivers later events.
          max-buffer-size = 4
        }
        """;

    /// <param name="plugins">The configuration of the write plugin, and what the read journal needs to know about it.</param>
    /// <param name="defaults">The write plugin's defaults.</param>
    /// <param name="remove">Removes the database.</param>
    internal static WrittenJournal Of(Config plugins, Config defaults, Action remove) =>
        new(plugins.WithFallback(Common).WithFallback(defaults), remove);

    /// <summary>Opens the read journal and starts the write plugin, which creates the tables. The database is removed after the actor system.</summary>
    internal ThrottledReadJournal OpenIn(ActorSystem system)
    {
        system.RegisterOnTermination(Remove);
        // Some of Akka.NET's specs write nothing and expect an empty journal. Queries of a journal without tables would wait.
        Persistence.Instance.Apply(system);
        return OpenBeside(system);
    }

    /// <summary>Opens the read journal in a system that may end before the database is removed.</summary>
    internal static ThrottledReadJournal OpenBeside(ActorSystem system) =>
        system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);
}

/// <summary>A database, a write plugin and a layout for the tests.</summary>
public interface IWrittenJournal
{
    /// <summary>Why its tests are skipped; null if they run.</summary>
    static abstract string? SkipReason { get; }

    /// <summary>A new, empty journal.</summary>
    static abstract WrittenJournal New();
}
