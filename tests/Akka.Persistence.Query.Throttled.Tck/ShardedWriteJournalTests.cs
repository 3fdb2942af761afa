using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Persistence.TCK.Journal;
using Akka.Persistence.TCK.Serialization;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Tck;

// Akka.NET's specs of a write journal, run on one that forwards to others. Each test has its own databases.

public abstract class ShardedWriteJournalOn : JournalSpec
{
    private protected ShardedWriteJournalOn(ShardedFiles files, ITestOutputHelper output)
        : base(files.Config, null, output)
    {
        Sys.RegisterOnTermination(files.Delete);
        Initialize();
    }

    // As in the specs of both plugins: they do not store the id of the writer, which this spec expects.
    protected override bool SupportsSerialization => false;
}

public sealed class TwoShardsWriteJournalTests(ITestOutputHelper output) : ShardedWriteJournalOn(ShardedFiles.OfSql(2), output);

public sealed class OneShardWriteJournalTests(ITestOutputHelper output) : ShardedWriteJournalOn(ShardedFiles.OfSql(1), output);

public sealed class FourShardsWriteJournalTests(ITestOutputHelper output) : ShardedWriteJournalOn(ShardedFiles.OfSql(4), output);

public sealed class TwoOlderShardsWriteJournalTests(ITestOutputHelper output) : ShardedWriteJournalOn(ShardedFiles.OfOlder(2), output);

public abstract class ShardedWriteSerializationOn : JournalSerializationSpec
{
    private protected ShardedWriteSerializationOn(ShardedFiles files, ITestOutputHelper output)
        : base(files.Config, "serialization", output) => Sys.RegisterOnTermination(files.Delete);

    [Fact(Skip = "Neither plugin returns the written manifest: they return that of the serializer, or the name of the type.")]
    public override void Journal_should_serialize_Persistent_with_EventAdapter_manifest()
    {
    }
}

public sealed class TwoShardsWriteSerializationTests(ITestOutputHelper output) : ShardedWriteSerializationOn(ShardedFiles.OfSql(2), output);

public sealed class TwoOlderShardsWriteSerializationTests(ITestOutputHelper output) : ShardedWriteSerializationOn(ShardedFiles.OfOlder(2), output);
