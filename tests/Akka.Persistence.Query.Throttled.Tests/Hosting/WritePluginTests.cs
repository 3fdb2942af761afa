using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

public sealed class WritePluginTests : WritePluginSpec
{
    private protected override AkkaConfigurationBuilder Configure(AkkaConfigurationBuilder builder, SqlPlugin plugin) => plugin.ConfigureByHocon(builder);
}

public sealed class ShardedHostTests : ShardedHostSpec
{
    private protected override AkkaConfigurationBuilder Configure(AkkaConfigurationBuilder builder, SqlPlugin plugin) => plugin.ConfigureByHocon(builder);
}
