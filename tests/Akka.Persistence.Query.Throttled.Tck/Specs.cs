using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Persistence.TCK.Query;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Tck;

file static class Deadlines
{
    /// <summary>For specs with fixed deadlines of ten seconds. They also wait longer for messages that must not come.</summary>
    internal static Config WithLongTimeouts(this Config config) => ConfigurationFactory.ParseString("akka.test.timefactor = 3").WithFallback(config);
}

// Akka.NET's own specs, each on any journal. Every test has its own database, because the tests write the same persistence ids.

[TestCaseOrderer(SkippedWithoutServer.Type, SkippedWithoutServer.Assembly)]
public abstract class AllEventsOn<TJournal> : AllEventsSpec
    where TJournal : IWrittenJournal
{
    protected AllEventsOn(ITestOutputHelper output)
        : this(TJournal.New(), output)
    {
    }

    private AllEventsOn(WrittenJournal journal, ITestOutputHelper output)
        : base(journal.Config, null, output) => ReadJournal = journal.OpenIn(Sys);
}

[TestCaseOrderer(SkippedWithoutServer.Type, SkippedWithoutServer.Assembly)]
public abstract class CurrentAllEventsOn<TJournal> : CurrentAllEventsSpec
    where TJournal : IWrittenJournal
{
    protected CurrentAllEventsOn(ITestOutputHelper output)
        : this(TJournal.New(), output)
    {
    }

    private CurrentAllEventsOn(WrittenJournal journal, ITestOutputHelper output)
        : base(journal.Config, null, output) => ReadJournal = journal.OpenIn(Sys);
}

[TestCaseOrderer(SkippedWithoutServer.Type, SkippedWithoutServer.Assembly)]
public abstract class EventsByPersistenceIdOn<TJournal> : EventsByPersistenceIdSpec
    where TJournal : IWrittenJournal
{
    protected EventsByPersistenceIdOn(ITestOutputHelper output)
        : this(TJournal.New(), output)
    {
    }

    private EventsByPersistenceIdOn(WrittenJournal journal, ITestOutputHelper output)
        : base(journal.Config, null, output) => ReadJournal = journal.OpenIn(Sys);
}

[TestCaseOrderer(SkippedWithoutServer.Type, SkippedWithoutServer.Assembly)]
public abstract class CurrentEventsByPersistenceIdOn<TJournal> : CurrentEventsByPersistenceIdSpec
    where TJournal : IWrittenJournal
{
    protected CurrentEventsByPersistenceIdOn(ITestOutputHelper output)
        : this(TJournal.New(), output)
    {
    }

    private CurrentEventsByPersistenceIdOn(WrittenJournal journal, ITestOutputHelper output)
        : base(journal.Config, null, output) => ReadJournal = journal.OpenIn(Sys);
}

[TestCaseOrderer(SkippedWithoutServer.Type, SkippedWithoutServer.Assembly)]
public abstract class EventsByTagOn<TJournal> : EventsByTagSpec
    where TJournal : IWrittenJournal
{
    protected EventsByTagOn(ITestOutputHelper output)
        : this(TJournal.New(), output)
    {
    }

    private EventsByTagOn(WrittenJournal journal, ITestOutputHelper output)
        : base(journal.Config, null, output) => ReadJournal = journal.OpenIn(Sys);

    protected override bool SupportsTagsInEventEnvelope => true;
}

[TestCaseOrderer(SkippedWithoutServer.Type, SkippedWithoutServer.Assembly)]
public abstract class CurrentEventsByTagOn<TJournal> : CurrentEventsByTagSpec
    where TJournal : IWrittenJournal
{
    protected CurrentEventsByTagOn(ITestOutputHelper output)
        : this(TJournal.New(), output)
    {
    }

    private CurrentEventsByTagOn(WrittenJournal journal, ITestOutputHelper output)
        : base(journal.Config, null, output) => ReadJournal = journal.OpenIn(Sys);

    protected override bool SupportsTagsInEventEnvelope => true;
}

[TestCaseOrderer(SkippedWithoutServer.Type, SkippedWithoutServer.Assembly)]
public abstract class FromEndOn<TJournal> : FromEndOffsetSpec
    where TJournal : IWrittenJournal
{
    protected FromEndOn(ITestOutputHelper output)
        : this(TJournal.New(), output)
    {
    }

    private FromEndOn(WrittenJournal journal, ITestOutputHelper output)
        : base(journal.Config, null, output) => ReadJournal = journal.OpenIn(Sys);
}

[TestCaseOrderer(SkippedWithoutServer.Type, SkippedWithoutServer.Assembly)]
public abstract class PersistenceIdsOn<TJournal> : PersistenceIdsSpec
    where TJournal : IWrittenJournal
{
    protected PersistenceIdsOn(ITestOutputHelper output)
        : this(TJournal.New(), output)
    {
    }

    private PersistenceIdsOn(WrittenJournal journal, ITestOutputHelper output)
        : base(journal.Config.WithLongTimeouts(), null, output) => ReadJournal = journal.OpenIn(Sys);
}

[TestCaseOrderer(SkippedWithoutServer.Type, SkippedWithoutServer.Assembly)]
public abstract class CurrentPersistenceIdsOn<TJournal> : CurrentPersistenceIdsSpec
    where TJournal : IWrittenJournal
{
    protected CurrentPersistenceIdsOn(ITestOutputHelper output)
        : this(TJournal.New(), output)
    {
    }

    private CurrentPersistenceIdsOn(WrittenJournal journal, ITestOutputHelper output)
        : base(journal.Config.WithLongTimeouts(), null, output) => ReadJournal = journal.OpenIn(Sys);
}
