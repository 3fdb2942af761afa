using Xunit.Sdk;

namespace Akka.Persistence.Query.Throttled.Tests.Permits;

public sealed class ThrottlerSimulationTests() : ThrottlerKit("akka.loglevel = OFF")
{
    [Fact]
    public async Task The_throttler_does_what_a_plain_list_does_whatever_restarts_it()
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
