using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

public sealed class OlderEntitiesTests(ITestOutputHelper output)
{
    [Fact]
    public Task Entities_on_the_older_plugin_with_random_commands_match_their_models() => RandomEntities.RunAsync(ShardedFiles.OfOlder(2), 50, defersAlone: true, output);
}
