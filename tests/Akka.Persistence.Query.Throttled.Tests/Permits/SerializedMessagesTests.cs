using Akka.Persistence.Query.Throttled.Tests.Envelopes;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

/// <summary>What people set in their tests: every message is serialized, but those that say that they stay in the process.</summary>
public sealed class SerializedMessagesTests() : EnvelopeKit("akka.actor.serialize-messages = on")
{
    [Fact]
    public async Task Queries_run_where_all_messages_are_serialized()
    {
        await AppendAsync(Stored(1, "event"));
        Assert.Single(await ReadAsync(Open("max-queries-per-second = 1000"), "current all", 1));
    }
}
