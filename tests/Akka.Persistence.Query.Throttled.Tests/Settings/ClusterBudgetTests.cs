using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

public sealed class ClusterBudgetTests
{
    private const string Database = "connection-string = \"Data Source=:memory:\", provider-name = SQLite";

    [Theory]
    [InlineData("max-concurrent-queries = 60", "max-concurrent-queries' is 60")]
    [InlineData("max-queries-per-second = 30", "max-queries-per-second' is 30")]
    public async Task A_budget_without_its_package_is_refused(string setting, string found)
    {
        await using var system = new ConfiguredSystem($$"""{{ThrottledReadJournal.Identifier}} { {{Database}}, cluster { {{setting}} } }""");
        Assert.Equal(
            $"'{ThrottledReadJournal.Identifier}.cluster.{found}, but the package Akka.Persistence.Query.Throttled.Cluster is missing. Add it to the application, or set the budget to 0.",
            Assert.Throws<ConfigurationException>(() => system.Open()).Message);
    }

    [Theory]
    [InlineData("cluster.max-concurrent-queries = -1", ".cluster.max-concurrent-queries' is \"-1\"; it must be from 0 to 1000000.")]
    [InlineData("cluster.max-queries-per-second = many", ".cluster.max-queries-per-second' is \"many\"; it must be a whole number of at most 2147483647.")]
    [InlineData("cluster = 60", ".cluster' is \"60\"; it must be a section.")]
    public async Task A_wrong_setting_is_refused(string setting, string message)
    {
        await using var system = new ConfiguredSystem($$"""{{ThrottledReadJournal.Identifier}} { {{Database}}, {{setting}} }""");
        Assert.EndsWith(message, Assert.Throws<ConfigurationException>(() => system.Open()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_unknown_setting_of_the_section_is_named()
    {
        await using var system = new ConfiguredSystem($$"""{{ThrottledReadJournal.Identifier}} { {{Database}}, strict = on, cluster.max-concurent-queries = 60 }""");
        Assert.Contains(
            "'cluster.max-concurent-queries' (is 'cluster.max-concurrent-queries' meant?)", Assert.Throws<ConfigurationException>(() => system.Open()).Message, StringComparison.Ordinal);
    }
}
