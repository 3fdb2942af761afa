using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

public sealed class OlderEntitiesTests(ITestOutputHelper output)
{
    [Fact]
    public Task Entities_on_the_older_plugin_do_as_they_are_told() => ToldByChance.RunAsync(ShardedFiles.OfOlder(2), 50, defersAlone: true, output);
}
