using Throttled.Journal.Relational;

namespace Throttled.Journal.Tests.Sharding;

/// <summary>The appender of one shard. It fails when the test says so.</summary>
internal sealed class FakeAppender : JournalAppender
{
    private readonly EventValidation _validation = new(JournalTables.Default);

    internal List<JournalEvent> Appended { get; } = [];

    internal List<string> Calls { get; } = [];

    internal bool IsDisposed { get; private set; }

    /// <summary>Awaited by each append. Its failure is the failure of the append.</summary>
    internal Func<CancellationToken, Task> Appending { get; set; } = _ => Task.CompletedTask;

    internal Exception? ShardMarkFailure { get; set; }

    public override Task CreateAsync(CancellationToken cancellationToken = default)
    {
        Calls.Add("create");
        return Task.CompletedTask;
    }

    public override async Task AppendAsync(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellationToken = default)
    {
        Calls.Add("append");
        await Appending(cancellationToken);
        Appended.AddRange(events);
    }

    public override ValueTask DisposeAsync()
    {
        IsDisposed = true;
        return default;
    }

    internal override void Check(IEnumerable<JournalEvent> events) => _validation.Check(events);

    internal override Task MarkAsync(ShardIdentity identity, CancellationToken cancellation)
    {
        Calls.Add($"mark {identity.Shard} of {identity.Map}");
        return ShardMarkFailure is { } failure ? Task.FromException(failure) : Task.CompletedTask;
    }
}
