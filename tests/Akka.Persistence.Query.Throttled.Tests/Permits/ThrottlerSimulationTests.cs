using Xunit.Sdk;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

public sealed class ThrottlerSimulationTests() : ThrottlerKit("akka.loglevel = OFF")
{
    [Fact]
    public async Task The_throttler_grants_like_a_plain_list_even_after_restarts()
    {
        for (var seed = 1; seed <= 100; seed++)
        {
            var simulation = new ThrottlerSimulation(seed, this);
            try
            {
                await simulation.RunAsync();
            }
            catch (XunitException error)
            {
                Assert.Fail($"Seed {seed}: {error.Message}{Environment.NewLine}{simulation}");
            }
        }
        Assert.Equal(0, Stops);
    }
}
