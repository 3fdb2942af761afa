using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Persistence.TCK.Journal;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Tck;

// What Akka.NET demands of a write journal, of one that forwards to others. Each test has databases of its own.

public abstract class ShardedWriteJournalOn : JournalSpec
{
    private protected ShardedWriteJournalOn(ShardedFiles files, ITestOutputHelper output)
        : base(files.Config, null, output)
    {
        Sys.RegisterOnTermination(files.Delete);
        Initialize();
    }

    // As in the own specs of both plugins: they do not keep the writer's id, which this expects back.
    protected override bool SupportsSerialization => false;
}

public sealed class TwoShardsWriteJournalTests(ITestOutputHelper output) : ShardedWriteJournalOn(ShardedFiles.OfSql(2), output);

public sealed class OneShardWriteJournalTests(ITestOutputHelper output) : ShardedWriteJournalOn(ShardedFiles.OfSql(1), output);

public sealed class FourShardsWriteJournalTests(ITestOutputHelper output) : ShardedWriteJournalOn(ShardedFiles.OfSql(4), output);

public sealed class TwoOlderShardsWriteJournalTests(ITestOutputHelper output) : ShardedWriteJournalOn(ShardedFiles.OfOlder(2), output);
