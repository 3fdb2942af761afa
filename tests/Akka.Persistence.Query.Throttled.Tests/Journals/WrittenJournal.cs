using Akka.Actor;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>A journal in a database of its own, with the write plugin that fills it and the read journal beside that.</summary>
/// <param name="Config">All of an actor system's configuration.</param>
/// <param name="Remove">Removes the database.</param>
public sealed record WrittenJournal(Config Config, Action Remove)
{
    private static readonly Config Common =
        $$"""
        {{Patience.Hocon}}
        akka.loglevel = INFO
        akka.stdout-loglevel = WARNING
        akka.persistence.query.journal.throttled {
          refresh-interval = 10ms
          # So that a handful of events is several pages, but the three of the specs by persistence id one: where a page is full, a
          # current query by persistence id reads the next one too, and delivers what was written meanwhile.
          max-buffer-size = 4
        }
        """;

    /// <param name="plugins">The configuration of the write plugin and of what the read journal needs to know of it.</param>
    /// <param name="defaults">The write plugin's defaults.</param>
    /// <param name="remove">Removes the database.</param>
    internal static WrittenJournal Of(Config plugins, Config defaults, Action remove) =>
        new(plugins.WithFallback(Common).WithFallback(defaults), remove);

    /// <summary>Opens its read journal and starts its write plugin, which makes the tables; the database goes when the actor system has ended.</summary>
    internal ThrottledReadJournal OpenIn(ActorSystem system)
    {
        system.RegisterOnTermination(Remove);
        // Some of Akka.NET's specs write nothing and expect an empty journal, not one without tables, whose queries wait.
        Persistence.Instance.Apply(system);
        return OpenBeside(system);
    }

    /// <summary>Opens its read journal in a system that may end before the database goes.</summary>
    internal static ThrottledReadJournal OpenBeside(ActorSystem system) =>
        system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);
}

/// <summary>A database, a write plugin and a layout: what the tests are run on.</summary>
public interface IWrittenJournal
{
    /// <summary>Why its tests are skipped: what it needs is not there. Null where they run.</summary>
    static abstract string? SkipReason { get; }

    /// <summary>A new, empty one.</summary>
    static abstract WrittenJournal New();
}
