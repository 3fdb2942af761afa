using Akka.Persistence.Query.Throttled.Tests.Envelopes;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

/// <summary>A common setting of tests: every message is serialized, except those that are marked as local.</summary>
public sealed class SerializedMessagesTests() : EnvelopeKit("akka.actor.serialize-messages = on")
{
    [Fact]
    public async Task Queries_run_in_a_system_that_serializes_all_messages()
    {
        await AppendAsync(Stored(1, "event"));
        Assert.Single(await ReadAsync(Open("max-queries-per-second = 1000"), "current all", 1));
    }
}
