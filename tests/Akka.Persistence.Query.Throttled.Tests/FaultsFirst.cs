using Xunit.Abstractions;

[assembly: TestCollectionOrderer("Akka.Persistence.Query.Throttled.Tests.FaultsFirst", "Akka.Persistence.Query.Throttled.Tests")]

namespace Akka.Persistence.Query.Throttled.Tests;

/// <summary>Starts first what waits longest for servers that are down, so that others run meanwhile.</summary>
public sealed class FaultsFirst : ITestCollectionOrderer
{
    public IEnumerable<ITestCollection> OrderTestCollections(IEnumerable<ITestCollection> testCollections) =>
        testCollections.OrderBy(each => each.DisplayName == Journals.OnPostgreSql.Name || each.DisplayName.Contains(".Tests.Faults.", StringComparison.Ordinal) ? 0 : 1);
}
