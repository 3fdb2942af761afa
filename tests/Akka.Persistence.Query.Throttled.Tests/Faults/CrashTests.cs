using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Faults;

/// <summary>A server that is killed and comes back costs no stream and no event.</summary>
[Collection(OnPostgreSql.Name)]
public sealed class CrashTests(PostgreSqlFixture fixture, ITestOutputHelper output)
{
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public Task A_crash_while_streams_catch_up_and_one_while_they_follow_cost_no_stream_and_no_event() =>
        new Crashes(fixture.Server, output).RunAsync(100, crashes: 2);
}

/// <summary>The same at full size. It must not run beside other tests.</summary>
[Collection(AloneCollection.Name)]
[Trait("Category", "Long")]
public sealed class ManyCrashesTests(ITestOutputHelper output)
{
    [PostgreSqlFact]
    public async Task Repeated_crashes_cost_no_stream_and_no_event()
    {
        using var server = PostgreSqlServer.Start();
        await new Crashes(server, output).RunAsync(10_000, LongShare.Of(20));
    }
}
